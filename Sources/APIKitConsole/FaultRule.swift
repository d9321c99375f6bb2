import APIKit

/// Slows down, drops or refuses requests of a pattern, to test how an application handles that.
///
/// It applies to the requests of transports that a ``WebConsole`` watches, as long as it is in
/// ``WebConsole/rules``. It does not apply to WebSockets: their connections are not opened by such a request.
public struct FaultRule: Sendable, Hashable {
  /// The pattern of the requests: host and path, without scheme and query, such as `homes.example.com/v1/*`. A `*` stands for any
  /// characters. The host may have a port (`127.0.0.1:8080/*`), and its case is not compared.
  public var pattern: String
  /// The delay before each request in milliseconds; 0 by default, at most a minute. It counts as part of the request, and ends at
  /// the timeouts of the request and at the deadline of the load.
  public var latencyMilliseconds: Int
  /// The share of the requests that are lost, from 0 to 1; 0 by default. A lost request is not
  /// sent, and fails with `APIError.Reason.connectionLost`.
  public var loss: Double
  /// The status of a response that replaces the request; nil, the default, sends the requests.
  public var status: Int?

  /// Makes a rule.
  public init(_ pattern: String, latencyMilliseconds: Int = 0, loss: Double = 0, status: Int? = nil) {
    self.pattern = pattern
    self.latencyMilliseconds = latencyMilliseconds
    self.loss = loss
    self.status = status
  }

  /// Why it cannot be used; nil when it can.
  var objection: String? {
    if pattern.isEmpty || pattern.utf8.count > 500 { return "a pattern has 1 to 500 characters" }
    if pattern.contains("://") { return "a pattern begins with the host and not with a scheme" }
    if pattern.contains("?") { return "a pattern has no query" }
    if !pattern.contains("/"), !pattern.contains("*") {
      return "a pattern has a path behind the host, such as /*"
    }
    if !(0...60_000).contains(latencyMilliseconds) { return "a latency is 0 to 60,000 ms" }
    if !(0...1).contains(loss) { return "a loss is from 0 to 1" }
    if let status, !(200...599).contains(status) { return "a status is from 200 to 599" }
    return nil
  }

  /// Whether it applies to a URL.
  func applies(to url: HTTPURL) -> Bool {
    let host = pattern.prefix { $0 != "/" }
    let pattern = Array(
      (host.lowercased() + PercentEncoding.visible.encode(String(pattern.dropFirst(host.count)))).utf8)
    let hosts = [url.host, url.hostText, "\(url.hostText):\(url.effectivePort ?? 0)"]
    return hosts.contains { Self.matches(Array(($0 + url.path).utf8), pattern) }
  }

  /// Compares a text with a pattern in which `*` stands for any characters.
  static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (position, index) = (0, 0)
    // Where the last star stands, and up to where it has been tried.
    var star: (index: Int, position: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
        star = (index, position)
        index += 1
      } else if index < pattern.count, pattern[index] == text[position] {
        position += 1
        index += 1
      } else if let last = star {
        star = (last.index, last.position + 1)
        (index, position) = (last.index + 1, last.position + 1)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
