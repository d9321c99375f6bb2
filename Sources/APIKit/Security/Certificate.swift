import Foundation

/// What a decision about trust needs of an X.509 certificate, read from its DER (RFC 5280, 4.1).
///
/// It is read only, never verified: signatures and chains are the system's to check.
struct Certificate: Sendable {
  /// The SubjectPublicKeyInfo as a whole, which is what pins of keys are digests of.
  let publicKeyInfo: [UInt8]
  /// In seconds since 1970.
  let validFrom: Double
  let validUntil: Double
  /// Whether it names itself as its issuer.
  let isSelfIssued: Bool
  /// The names of its subjectAltName that are hosts, in lower case.
  let dnsNames: [String]
  /// The addresses of its subjectAltName, 4 or 16 bytes each.
  let addresses: [[UInt8]]

  /// Reads a certificate; nil when the bytes are none.
  init?(der: [UInt8]) {
    var outer = DERReader(der[...])
    guard var certificate = outer.read(0x30).map(DERReader.init), let signed = certificate.read(0x30) else {
      return nil
    }
    var fields = DERReader(signed)
    _ = fields.read(0xA0)  // version
    guard fields.read(0x02) != nil, fields.read(0x30) != nil,  // serial number, algorithm
      let issuer = fields.read(0x30), var validity = fields.read(0x30).map(DERReader.init),
      let from = validity.readTime(), let until = validity.readTime(),
      let subject = fields.read(0x30), let key = fields.readWhole(0x30)
    else { return nil }
    (validFrom, validUntil) = (from, until)
    isSelfIssued = issuer == subject
    publicKeyInfo = Array(key)
    _ = fields.read(0x81)  // unique identifiers, in no certificate of today
    _ = fields.read(0x82)
    var names: (dns: [String], addresses: [[UInt8]]) = ([], [])
    if let tagged = fields.read(0xA3) {
      var wrapper = DERReader(tagged)
      guard let extensions = wrapper.read(0x30) else { return nil }
      guard let found = Self.names(in: extensions) else { return nil }
      names = found
    }
    (dnsNames, addresses) = names
  }

  /// The names of the extension subjectAltName; nil when the extensions cannot be read.
  private static func names(in extensions: ArraySlice<UInt8>) -> (dns: [String], addresses: [[UInt8]])? {
    var (dns, addresses): ([String], [[UInt8]]) = ([], [])
    var all = DERReader(extensions)
    while !all.isAtEnd {
      guard var item = all.read(0x30).map(DERReader.init), let id = item.read(0x06) else { return nil }
      _ = item.read(0x01)  // critical
      guard let value = item.read(0x04) else { return nil }
      guard id.elementsEqual([0x55, 0x1D, 0x11]) else { continue }  // 2.5.29.17
      var wrapper = DERReader(value)
      guard let list = wrapper.read(0x30) else { return nil }
      var names = DERReader(list)
      while !names.isAtEnd {
        guard let (tag, content) = names.readAny() else { return nil }
        switch tag {
        case 0x82: dns.append(String(decoding: content, as: UTF8.self).lowercased())
        case 0x87: addresses.append(Array(content))
        default: break
        }
      }
    }
    return (dns, addresses)
  }

  /// The certificates in bytes that are DER or PEM, in DER.
  static func all(of bytes: [UInt8]) -> [[UInt8]] {
    Certificate(der: bytes) == nil ? blocks(ofPEM: bytes) : [bytes]
  }

  /// The certificates in PEM text, in DER; what is no certificate is passed over.
  static func blocks(ofPEM pem: [UInt8]) -> [[UInt8]] {
    let text = String(decoding: pem, as: UTF8.self)
    return text.split(separator: "-----BEGIN CERTIFICATE-----").dropFirst(
      text.hasPrefix("-----BEGIN C") ? 0 : 1
    )
    .compactMap { part in
      let body = part.split(separator: "-----END").first.map { $0.filter { !$0.isWhitespace } } ?? ""
      guard let data = Data(base64Encoded: String(body)) else { return nil }
      return Certificate(der: [UInt8](data)) == nil ? nil : [UInt8](data)
    }
  }

  /// Whether it is for a host, which is a name or an address in the form of ``HTTPURL/host`` (RFC 9525, 6).
  ///
  /// A wildcard stands for one whole label, the leftmost. The common name does not count.
  func isFor(_ host: String) -> Bool {
    let host = URLHost.name(host)
    if let address = URLHost.address(host) { return addresses.contains(address) }
    return dnsNames.contains { name in
      if name == host { return true }
      guard name.hasPrefix("*."), let dot = host.firstIndex(of: ".") else { return false }
      // At least two labels after the wildcard: `*.com` matches no host.
      return name.dropFirst() == host[dot...] && name.dropFirst(2).contains(".") && dot > host.startIndex
    }
  }
}

/// Reads elements of DER one after another (X.690).
private struct DERReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  /// The content of the next element when it has this tag; otherwise nil, and the reader stays.
  mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.first == tag else { return nil }
    return readAny()?.content
  }

  /// The next element with its tag and length, when it has this tag.
  mutating func readWhole(_ tag: UInt8) -> ArraySlice<UInt8>? {
    let start = bytes.startIndex, before = bytes
    guard let content = read(tag) else { return nil }
    return before[start..<content.endIndex]
  }

  mutating func readAny() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard let tag = bytes.first, let first = bytes.dropFirst().first else { return nil }
    var rest = bytes.dropFirst(2)
    var length = Int(first)
    if first >= 0x80 {
      // No certificate has an element of 16 MiB.
      let count = Int(first & 0x7F)
      guard (1...3).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    bytes = rest.dropFirst(length)
    return (tag, rest.prefix(length))
  }

  /// A UTCTime or GeneralizedTime in the only form that RFC 5280 (4.1.2.5) allows, as seconds since 1970.
  mutating func readTime() -> Double? {
    guard let (tag, content) = readAny(), content.last == UInt8(ascii: "Z") else { return nil }
    let digits = content.dropLast().compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    guard digits.count == content.count - 1, digits.count == (tag == 0x17 ? 12 : 14),
      tag == 0x17 || tag == 0x18
    else { return nil }
    let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    let year = tag == 0x17 ? pairs[0] + (pairs[0] < 50 ? 2000 : 1900) : pairs[0] * 100 + pairs[1]
    let rest = pairs.suffix(5).map { $0 }
    // Days since 1970 of the proleptic Gregorian calendar, with years that begin in March.
    let month = (rest[0] + 9) % 12
    let years = year - (month >= 10 ? 1 : 0)
    let days =
      365 * years + years / 4 - years / 100 + years / 400 + (month * 306 + 5) / 10 + rest[1] - 1 - 719_468
    return Double(((days * 24 + rest[2]) * 60 + rest[3]) * 60 + rest[4])
  }
}
