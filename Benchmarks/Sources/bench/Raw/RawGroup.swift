import APIKit
import Foundation

let rawGroup = BenchGroup(name: "raw", summary: "reading JSON, against Foundation") { measurement in
  let page = try RawFixtures.page()
  let listing = try RawFixtures.listing()
  try parsing(measurement, page: page, listing: listing)
  try reading(measurement, page: page, listing: listing)
  try decoding(measurement, page: page, listing: listing)
  try typedRows(measurement)
  try lookingUp(measurement, listing: listing)
  try memory(measurement, page: page, listing: listing)
  try growth(measurement)
  try failing(measurement)
}

private func parsing(_ measurement: Measurement, page: [UInt8], listing: [UInt8]) throws {
  let documents: [(String, [UInt8], Double)] = [
    ("a listing page", page, 20), ("a large listing", listing, 20), ("deep", RawFixtures.deep(), 10),
    ("wide", RawFixtures.wide(), 10), ("number-heavy", RawFixtures.numbers(), 10),
    ("string-heavy", RawFixtures.strings(), 10),
  ]
  for (name, bytes, bar) in documents {
    let data = Data(bytes)
    try measurement.compare(
      "parse \(name), \(bytes.count) bytes", bar: .atLeast(bar), bytes: bytes.count,
      ours: { keep(try RawData(parsing: bytes)) },
      theirs: { keep(try JSONSerialization.jsonObject(with: data)) })
  }
}

private func reading(_ measurement: Measurement, page: [UInt8], listing: [UInt8]) throws {
  for (name, bytes, fields) in [
    ("a listing page", page, ("title", "price", "beds", "type")),
    ("a large listing", listing, ("neighborhood", "price", "bedrooms", "style")),
  ] {
    let data = Data(bytes)
    try measurement.compare(
      "parse and read 4 fields a row, \(name)", bar: .atLeast(12), bytes: bytes.count,
      ours: {
        let raw = try RawData(parsing: bytes)
        var sum = 0
        for row in raw.items.elements {
          sum += row[fields.0].string?.utf8.count ?? 0
          sum += row[fields.1].int ?? 0
          sum += row[fields.2].int ?? 0
          sum += row[fields.3].string?.utf8.count ?? 0
        }
        keep(sum)
      },
      theirs: {
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        var sum = 0
        for row in object?["items"] as? [[String: Any]] ?? [] {
          sum += (row[fields.0] as? String)?.utf8.count ?? 0
          sum += row[fields.1] as? Int ?? 0
          sum += row[fields.2] as? Int ?? 0
          sum += (row[fields.3] as? String)?.utf8.count ?? 0
        }
        keep(sum)
      })
  }
}

/// Parts of reading beside one another, without bars.
private func lookingUp(_ measurement: Measurement, listing: [UInt8]) throws {
  let raw = try RawData(parsing: listing)
  let rows = raw.items
  let row = rows[17]
  measurement.compare(
    "a missing member, against the last of 19", ours: { keep(row.absent.exists) },
    theirs: { keep(row.location.exists) })
  measurement.compare(
    "every row by position, against going through",
    ours: { for position in 0..<rows.count { keep(rows[position].kind) } },
    theirs: { for row in rows.elements { keep(row.kind) } })
}

private func decoding(_ measurement: Measurement, page: [UInt8], listing: [UInt8]) throws {
  try decoding(measurement, "a listing page", page, as: ListingPage.self)
  try decoding(measurement, "a large listing", listing, as: Listing.self)
}

private func decoding<Value: Decodable>(
  _ measurement: Measurement, _ name: String, _ bytes: [UInt8], as type: Value.Type
) throws {
  let data = Data(bytes)
  let decoder = JSONDecoder()
  try measurement.compare(
    "parse and decode(as:), \(name)", bar: .atLeast(5), bytes: bytes.count,
    ours: { keep(try RawData(parsing: bytes).decode(as: type)) },
    theirs: { keep(try decoder.decode(type, from: data)) })
}

private struct ListingPage: Decodable {
  struct Home: Decodable {
    struct Location: Decodable {
      var latitude: Double
      var longitude: Double
    }
    var id: Int
    var title: String
    var city: String
    var zip: String
    var beds: Int
    var baths: Double
    var sqft: Int
    var type: String
    var price: Double
    var location: Location
  }
  var code: Int
  var total: Int
  var page: Int
  var items: [Home]
}

private struct Listing: Decodable {
  struct Home: Decodable {
    struct Location: Decodable {
      var longitude: Double
      var latitude: Double
    }
    var id: Int
    var neighborhood: String
    var building: String
    var style: String
    var lotArea: Int
    var yearBuilt: Int
    var yearSold: Int
    var monthSold: Int
    var livingArea: Int
    var bedrooms: Int
    var fullBaths: Int
    var halfBaths: Int
    var garageCars: Int
    var saleType: String
    var saleCondition: String
    var price: Double
    var hasGarage: Bool
    var agent: String?
    var location: Location
  }
  var code: Int
  var total: Int
  var items: [Home]
}

private func memory(_ measurement: Measurement, page: [UInt8], listing: [UInt8]) throws {
  for (name, bytes) in [("a listing page", page), ("a large listing", listing)]
  where measurement.wants("memory beside the bytes, \(name)") {
    let raw = try RawData(parsing: bytes)
    measurement.record(
      "memory beside the bytes, \(name)", Double(raw.overheadBytes) / Double(bytes.count), "x the bytes",
      bar: .atMost(2), note: "\(raw.overheadBytes) for \(bytes.count) bytes")
  }
}

/// Seconds for each byte from 1 KB to 100 MB, against those of 1 MB. At 100 MB each byte costs its new page of tape as
/// well, which takes as long as parsing it, so the bar leaves room; anything above linear would be a hundredfold.
private func growth(_ measurement: Measurement) throws {
  let sizes = [
    (1_000, "1 KB"), (100_000, "100 KB"), (1_000_000, "1 MB"), (10_000_000, "10 MB"), (100_000_000, "100 MB"),
  ]
  let names = sizes.map { "time for each byte, \($0.1) against 1 MB" }
  guard measurement.wants(names) else { return }
  var perByte: [Double] = []
  for (size, _) in sizes {
    let bytes = try RawFixtures.listing(bytes: size)
    perByte.append(try measurement.seconds { keep(try RawData(parsing: bytes)) } / Double(bytes.count))
  }
  for (index, name) in names.enumerated() {
    measurement.record(
      name, perByte[index] / perByte[2], "x",
      bar: index == 2 ? .none : .atMost(index == 4 ? 2.5 : 2),
      note: String(format: "%.0f MB/s", 1e-6 / perByte[index]))
  }
}

/// Seconds for each failed read in 100,000 rows, against those in 10,000, and for each of 40,000 names that all
/// occur twice, against 4,000: what walks the document for each would take ten times as long.
private func failing(_ measurement: Measurement) throws {
  func failures(_ rows: Int, _ read: (RawData) throws -> Int) throws -> Double {
    let text = "[" + Array(repeating: #"{"id":7,"price":"n/a"}"#, count: rows).joined(separator: ",") + "]"
    let raw = try RawData(parsing: text)
    let seconds = measurement.seconds {
      var length = 0
      for row in raw.elements {
        do { length += try read(row) } catch { length += "\(error)".utf8.count }
      }
      keep(length)
    }
    return seconds / Double(rows)
  }
  func duplicates(_ names: Int) throws -> Double {
    let names = (0..<names).map { "\"member\($0)\":1" }
    let raw = try RawData(parsing: "{" + (names + names).joined(separator: ",") + "}")
    return measurement.seconds { keep(raw.duplicateKeys.count) } / Double(names.count)
  }
  let rows: [(String, Int, (Int) throws -> Double)] = [
    ("a failed require", 10_000, { try failures($0) { try $0.price.require(Int.self) } }),
    ("a failed decode", 10_000, { try failures($0) { try $0.decode(as: PricedRow.self).price } }),
    ("duplicateKeys, each name", 4_000, duplicates),
  ]
  for (name, size, perItem) in rows {
    let name = "\(name), of \(size * 10) against \(size)"
    guard measurement.wants(name) else { continue }
    let (small, large) = (try perItem(size), try perItem(size * 10))
    measurement.record(
      name, large / small, "x", bar: .atMost(3), note: String(format: "%.2f us each", large * 1e6))
  }
}

private struct PricedRow: Decodable {
  var price: Int
}
