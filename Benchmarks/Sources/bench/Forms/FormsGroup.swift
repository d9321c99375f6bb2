import APIKit
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

let formsGroup = BenchGroup(name: "forms", summary: "XML, heads of images, signatures by RFC 9421 and SigV4")
{
  measurement in
  try readingXML(measurement)
  try readingImages(measurement)
  try signing(measurement)
}

private func readingXML(_ measurement: Measurement) throws {
  let listing = XMLFixtures.listing(rows: 2930)
  let data = Data(listing)
  let decoder = XMLBodyDecoder()
  // libxml2 at its fastest from Swift: with a delegate that does nothing.
  try measurement.compare(
    "read XML, \(listing.count) bytes, against libxml2 that keeps nothing", bar: .atLeast(0.5),
    bytes: listing.count,
    ours: { keep(try decoder.decode(listing)) },
    theirs: { keep(XMLParser(data: data).parse()) })
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
  let secret = SigningKey("a secret of thirty-two bytes, ok")
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
