import Foundation

/// Documents to read: two listings made of real rows, and shapes that stress one thing each.
enum RawFixtures {
  private static let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../../Sources/DemoServer/Resources").standardizedFileURL

  /// A page of 20 homes, about 4.8 KB.
  static func page() throws -> [UInt8] {
    let rows = try table("sacramento.csv").prefix(20).enumerated().map { number, row in
      "{\"id\":\(1000 + number),\"title\":\"\(row["type"]!) in \(row["city"]!)\",\"city\":\"\(row["city"]!)\","
        + "\"zip\":\"\(row["zip"]!)\",\"beds\":\(row["beds"]!),\"baths\":\(row["baths"]!),"
        + "\"sqft\":\(row["sqft"]!),\"type\":\"\(row["type"]!)\",\"price\":\(row["price"]!),\"state\":\"California\",\"sold\":true,"
        + "\"location\":{\"latitude\":\(row["latitude"]!),\"longitude\":\(row["longitude"]!)}}"
    }
    return Array("{\"code\":0,\"total\":932,\"page\":1,\"items\":[\(rows.joined(separator: ","))]}".utf8)
  }

  /// 20 homes of 20 members each, about 7 KB.
  static func homes() throws -> [UInt8] {
    let rows = try table("sacramento.csv").prefix(20).enumerated().map { number, row in
      "{\"id\":\(1000 + number),\"title\":\"\(row["type"]!) in \(row["city"]!)\",\"price\":\(row["price"]!),"
        + "\"beds\":\(row["beds"]!),\"type\":\"\(row["type"]!)\",\"sold\":\(number % 3 == 0),"
        + "\"city\":\"\(row["city"]!)\",\"zip\":\"\(row["zip"]!)\",\"baths\":\(row["baths"]!),\"sqft\":\(row["sqft"]!),"
        + "\"state\":\"California\",\"agent\":\(number % 2 == 0 ? "null" : "\"Lin\""),"
        + "\"phone\":\"+1 916 555 01\(10 + number)\",\"year\":\(1950 + number),\"floor\":\(number % 7),\"lift\":false,"
        + "\"fee\":12.75,\"heating\":\"central\",\"latitude\":\(row["latitude"]!),\"longitude\":\(row["longitude"]!)}"
    }
    return Array("{\"code\":0,\"total\":932,\"page\":1,\"items\":[\(rows.joined(separator: ","))]}".utf8)
  }

  /// 2,930 homes, about 1.2 MB.
  static func listing() throws -> [UInt8] {
    let rows = try table("ames.csv").enumerated().map { number, row in
      "{\"id\":\(number),\"neighborhood\":\"\(row["Neighborhood"]!)\",\"building\":\"\(row["Bldg_Type"]!)\","
        + "\"style\":\"\(row["House_Style"]!)\",\"lotArea\":\(row["Lot_Area"]!),"
        + "\"yearBuilt\":\(row["Year_Built"]!),\"yearSold\":\(row["Year_Sold"]!),"
        + "\"monthSold\":\(row["Mo_Sold"]!),\"livingArea\":\(row["Gr_Liv_Area"]!),"
        + "\"bedrooms\":\(row["Bedroom_AbvGr"]!),\"fullBaths\":\(row["Full_Bath"]!),"
        + "\"halfBaths\":\(row["Half_Bath"]!),\"garageCars\":\(row["Garage_Cars"]!),"
        + "\"saleType\":\"\(row["Sale_Type"]!)\",\"saleCondition\":\"\(row["Sale_Condition"]!)\","
        + "\"price\":\(row["Sale_Price"]!),\"hasGarage\":\(row["Garage_Cars"]! != "0"),\"agent\":null,"
        + "\"state\":\"Iowa\",\"currency\":\"USD\",\"areaUnit\":\"square feet\","
        + "\"location\":{\"longitude\":\(row["Longitude"]!),\"latitude\":\(row["Latitude"]!)}}"
    }
    return Array("{\"code\":0,\"total\":2930,\"items\":[\(rows.joined(separator: ","))]}".utf8)
  }

  /// Arrays and objects nested 400 deep, side by side.
  static func deep() -> [UInt8] {
    let one = String(repeating: "{\"a\":[1,", count: 200) + "2" + String(repeating: "]}", count: 200)
    return Array(("[" + Array(repeating: one, count: 250).joined(separator: ",") + "]").utf8)
  }

  /// One object of 40,000 members.
  static func wide() -> [UInt8] {
    Array(("{" + (0..<40_000).map { "\"member\($0)\":\($0 % 7)" }.joined(separator: ",") + "}").utf8)
  }

  /// Integers and doubles of all lengths.
  static func numbers() -> [UInt8] {
    var generator = Random(seed: 11)
    let numbers = (0..<60_000).map { index -> String in
      switch index % 4 {
      case 0: String(Int(truncatingIfNeeded: generator.next() >> 44))
      case 1: String(Int(truncatingIfNeeded: generator.next() >> 8) - (1 << 55))
      case 2: String(format: "%.6f", Double(generator.next() >> 20) / 1e8 - 40_000)
      default: "\(Double(generator.next() >> 11) * 1e-13)"
      }
    }
    return Array(("[" + numbers.joined(separator: ",") + "]").utf8)
  }

  /// Long texts with escapes and in several scripts.
  static func strings() -> [UInt8] {
    let texts = [
      #""A bright corner flat, two steps from the canal; the lift was renewed and the roof is shared.""#,
      #""She said \"quiet\" and meant it:\n\tno bar, no school, no tram \u2014 only the river.""#,
      #""阳光充足的两居室,步行五分钟到地铁站,周边有公园和学校。""#,
      #""Maison lumineuse près de l’église, rénovée en 2019, façade refaite""#,
      #""path\\to\\picture\/7.jpg \ud83c\udfe0""#,
    ]
    let rows = (0..<8_000).map { texts[$0 % texts.count] }
    return Array(("[" + rows.joined(separator: ",\n") + "]").utf8)
  }

  /// A listing of about a number of bytes.
  static func listing(bytes: Int) throws -> [UInt8] {
    let row = Array(
      #"{"id":7,"name":"North Ames","price":215000,"area":154.2,"open":true,"tags":["new","quiet"]},"#.utf8)
    var document = Array("[".utf8)
    document.reserveCapacity(bytes + row.count)
    while document.count < bytes { document += row }
    document[document.count - 1] = UInt8(ascii: "]")
    return document
  }

  private static func table(_ name: String) throws -> [[String: String]] {
    let text = try String(contentsOf: resources.appendingPathComponent(name), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    return lines.dropFirst().map { line in
      Dictionary(
        uniqueKeysWithValues: zip(lines[0], line).map {
          (String($0), $1.trimmingCharacters(in: .whitespacesAndNewlines))
        })
    }
  }
}

/// SplitMix64: the same numbers on every machine.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
