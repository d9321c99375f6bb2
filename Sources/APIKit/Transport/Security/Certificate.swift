import Foundation

/// The fields of an X.509 certificate that decide about trust, read from its DER (RFC 5280, 4.1).
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
        // A name is ASCII (RFC 5280, 4.2.1.6): other letters may become its letters in lower case.
        case 0x82 where content.allSatisfy { $0 < 0x80 }:
          dns.append(String(decoding: content, as: UTF8.self).lowercased())
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
