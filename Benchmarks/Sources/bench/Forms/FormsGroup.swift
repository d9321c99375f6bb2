import APIKit
import APIKitImages
import APIKitSigning
import APIKitXML
import CMachine
import Foundation

let formsGroup = BenchGroup(name: "forms", summary: "XML, heads of images, signatures by RFC 9421 and SigV4")
{
  measurement in
  try readingXML(measurement)
  try readingImages(measurement)
  try signing(measurement)
}

private func readingXML(_ measurement: Measurement) throws {
  let listing = XMLFixtures.listing(rows: 2930)
  let decoder = XMLBodyDecoder()
  let others: [(String, Bar, (UnsafePointer<UInt8>?, Int32) -> Int32)] = [
    ("into its tree", .atLeast(0.5), machine_libxml2_tree),
    // Nothing of the document can be asked for afterwards.
    ("that keeps nothing", .none, machine_libxml2_events),
  ]
  for (what, bar, read) in others {
    try measurement.compare(
      "read XML, \(listing.count) bytes, against libxml2 \(what)", bar: bar, bytes: listing.count,
      ours: { keep(try decoder.decode(listing)) },
      theirs: {
        let result = listing.withUnsafeBufferPointer { read($0.baseAddress, Int32($0.count)) }
        guard result == 0 else { throw BenchFailure("libxml2 is not there, or does not read the document") }
      })
  }
  let name = "the most memory while XML is read, against the document"
  guard measurement.wants(name) else { return }
  let use: XMLMemory = try ChildProcess.run("xml-memory", [])
  measurement.record(
    name, use.taken / use.document, "x", bar: .atMost(6),
    note: String(format: "%.1f MB of %.1f MB", use.taken / 1e6, use.document / 1e6))
}

/// What reading a document has taken beside the document, in bytes.
struct XMLMemory: Codable {
  let document: Double
  let taken: Double
}

/// Reads a document of ten megabytes in a fresh process.
func xmlMemory(_ arguments: [String]) async throws -> XMLMemory {
  let listing = XMLFixtures.listing(rows: 30_000)
  ProcessUse.trimHeap()
  ProcessUse.resetPeak()
  let before = ProcessUse.resident
  let raw = try XMLBodyDecoder().decode(listing)
  let peak = ProcessUse.peak
  guard raw.homes.home.elements.count == 30_000 else { throw BenchFailure("the document was not read") }
  return XMLMemory(document: Double(listing.count), taken: Double(peak - before))
}

private func readingImages(_ measurement: Measurement) throws {
  var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
  png += [0, 0, 4, 0, 0, 0, 3, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0]
  png += [UInt8](repeating: 0, count: 1 << 20)
  let name = "the head of a PNG of 1 MB"
  guard measurement.wants(name) else { return }
  measurement.record(name, measurement.seconds { keep(ImageHead(of: png)) } * 1e6, "µs")
}

/// What a signature costs beside the operation of its key, which is measured by itself.
private func signing(_ measurement: Measurement) throws {
  let secret = SecretKey("a secret of thirty-two bytes, ok")
  let subject = SigningSubject(
    apiName: "list", parameters: Parameters(), secondsSince1970: 1_700_000_000, nonce: "0123456789abcdef")
  let request = HTTPRequest(
    method: .post, url: "https://homes.test/api/v1/list?city=Suzhou&page=1",
    headers: ["Content-Type": "application/json", "Accept": "application/json"],
    body: .bytes([UInt8](repeating: 0x61, count: 256)))
  let signers: [(String, any RequestSigner)] = [
    ("RFC 9421 with HMAC", MessageSigner(key: try SignatureKey(id: "a", secret: secret))),
    (
      "AWS Signature Version 4",
      AWSSigner(accessKeyID: "AKID", secretKey: secret, region: "eu-central-1", service: "execute-api")
    ),
  ]
  for (name, signer) in signers where measurement.wants("sign by \(name)") {
    let seconds = try measurement.seconds {
      var signed = request
      try signer.sign(&signed, subject)
      keep(signed)
    }
    measurement.record(
      "sign by \(name)", seconds * 1e6, "µs", bar: .atMost(12), note: "with HMAC and two SHA-256")
  }
}

/// Documents of XML.
private enum XMLFixtures {
  static func listing(rows: Int) -> [UInt8] {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<homes xmlns=\"urn:homes\">\n"
    for number in 0..<rows {
      text +=
        "  <home id=\"\(number)\" kind=\"OneFam\">\n    <title>A bright corner flat &amp; garden</title>\n"
        + "    <neighborhood>North Ames</neighborhood>\n    <price currency=\"USD\">\(100_000 + number * 37)</price>\n"
        + "    <bedrooms>3</bedrooms>\n    <location><longitude>-93.61</longitude><latitude>42.05</latitude></location>\n"
        + "    <tag>new</tag>\n    <tag>quiet</tag>\n  </home>\n"
    }
    return Array((text + "</homes>\n").utf8)
  }
}
