import Foundation

/// Text around base64 of DER (RFC 7468).
package enum PEM {
  /// The bytes of the first block; the bytes themselves when they are no PEM.
  package static func der(_ bytes: [UInt8]) -> [UInt8] {
    guard let text = String(wellFormed: bytes, as: UTF8.self), let begin = text.range(of: "-----BEGIN "),
      let start = text[begin.upperBound...].range(of: "-----"),
      let end = text[start.upperBound...].range(of: "-----END ")
    else { return bytes }
    let body = text[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
    return Base64.decode(String(body)) ?? bytes
  }
}
