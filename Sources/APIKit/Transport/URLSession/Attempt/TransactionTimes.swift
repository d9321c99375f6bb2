import Foundation

/// The dates that Apple's session reports of one transaction, and the metrics made of them.
///
/// Phases that did not occur have no date.
struct TransactionTimes {
  var start: Date
  var fetch: Date?
  var domainLookupEnd: Date?
  var connectEnd: Date?
  var secureConnectionStart: Date?
  var secureConnectionEnd: Date?
  var requestStart: Date?
  var requestEnd: Date?
  var responseStart: Date?
  var responseEnd: Date?
  /// The version of TLS and the cipher suite by their numbers (RFC 8446).
  var tlsVersion: UInt16?
  var cipherSuite: UInt16?

  /// Microseconds since the task began, each at least as large as the one before.
  var metrics: TransportMetrics {
    var last: Int64 = 0
    func time(_ date: Date?) -> Int64 {
      if let date { last = max(last, Int64((date.timeIntervalSince(start) * 1_000_000).rounded())) }
      return last
    }
    var metrics = TransportMetrics()
    metrics.queued = time(fetch)
    metrics.nameLookup = time(domainLookupEnd)
    // The end of the connection includes TLS there.
    metrics.connect = time(secureConnectionStart ?? connectEnd)
    metrics.tls = time(secureConnectionEnd)
    metrics.requestSent = time(requestEnd)
    metrics.firstByte = time(responseStart)
    metrics.total = time(responseEnd)
    metrics.tlsProtocol = Self.name(tlsVersion, cipherSuite)
    return metrics
  }

  /// How far the request came.
  var progress: RequestProgress {
    if responseStart != nil { return .responseBegan }
    if requestEnd != nil { return .sent }
    return requestStart == nil ? .unsent : .partlySent
  }

  /// `TLSv1.3 TLS_AES_256_GCM_SHA384`, as OpenSSL spells them; a cipher that is not in the list by its number.
  static func name(_ version: UInt16?, _ cipher: UInt16?) -> String? {
    guard let version else { return nil }
    let versions: [UInt16: String] = [0x301: "TLSv1", 0x302: "TLSv1.1", 0x303: "TLSv1.2", 0x304: "TLSv1.3"]
    let name = versions[version] ?? "TLS 0x" + String(version, radix: 16)
    guard let cipher else { return name }
    return name + " " + (ciphers[cipher] ?? "0x" + String(cipher, radix: 16))
  }

  /// The suites that current systems offer, by OpenSSL's names.
  private static let ciphers: [UInt16: String] = [
    0x009C: "AES128-GCM-SHA256", 0x009D: "AES256-GCM-SHA384",
    0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384",
    0x1303: "TLS_CHACHA20_POLY1305_SHA256",
    0xC009: "ECDHE-ECDSA-AES128-SHA", 0xC00A: "ECDHE-ECDSA-AES256-SHA",
    0xC013: "ECDHE-RSA-AES128-SHA", 0xC014: "ECDHE-RSA-AES256-SHA",
    0xC02B: "ECDHE-ECDSA-AES128-GCM-SHA256", 0xC02C: "ECDHE-ECDSA-AES256-GCM-SHA384",
    0xC02F: "ECDHE-RSA-AES128-GCM-SHA256", 0xC030: "ECDHE-RSA-AES256-GCM-SHA384",
    0xCCA8: "ECDHE-RSA-CHACHA20-POLY1305", 0xCCA9: "ECDHE-ECDSA-CHACHA20-POLY1305",
  ]
}
