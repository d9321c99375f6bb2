/// The position of a request in a distributed trace, as in the header fields `traceparent` and `tracestate`.
///
/// ```swift
/// let wire = WireOptions(trace: .sent)
/// ```
/// Each load then begins a trace of its own, or continues with the ``current`` one, and each request on the wire is a new
/// parent in it.
/// - SeeAlso: <https://www.w3.org/TR/trace-context/>
public struct TraceContext: Sendable, Hashable {
  /// The trace: 32 lower-case hexadecimal digits, not all zero.
  public let traceID: String
  /// The span that is the parent of what follows: 16 lower-case hexadecimal digits, not all zero.
  public let parentID: String
  /// Whether the caller records the trace.
  public let isSampled: Bool
  /// The value of `tracestate`, passed on unchanged; nil for none, and for one that no header field may have. If it has
  /// more than 32 members, those of more than 128 characters are removed first, and then the last ones.
  public let state: String?

  /// The trace that a task works for, such as the request that a server is handling; nil by default. A load that takes
  /// off in the task continues with it.
  @TaskLocal public static var current: TraceContext?

  /// Begins a trace.
  public init(isSampled: Bool = true) {
    self.init(Self.makeID(16), Self.makeID(8), isSampled: isSampled, state: nil)
  }

  /// Reads the fields of a request; nil when `traceparent` is not valid. Of a version above 00 the parts of version 00
  /// are read.
  public init?(traceparent: String, tracestate: String? = nil) {
    let parts = traceparent.trimmingSpaces().split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
      Self.isHex(parts[1], 32), parts[1].contains(where: { $0 != "0" }), Self.isHex(parts[2], 16),
      parts[2].contains(where: { $0 != "0" }), Self.isHex(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    self.init(
      String(parts[1]), String(parts[2]), isSampled: flags & 1 == 1,
      state: tracestate.flatMap { $0.isEmpty || !HTTPHeaders.mayBeValue($0) ? nil : Self.cut($0) })
  }

  private static let mostMembers = 32

  /// - SeeAlso: <https://www.w3.org/TR/trace-context/#tracestate-limits>
  private static func cut(_ state: String) -> String {
    var members = state.split(separator: ",").map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
    guard members.count > mostMembers else { return state }
    while members.count > mostMembers, let long = members.lastIndex(where: { $0.utf8.count > 128 }) {
      members.remove(at: long)
    }
    return members.prefix(mostMembers).joined(separator: ",")
  }

  private init(_ traceID: String, _ parentID: String, isSampled: Bool, state: String?) {
    (self.traceID, self.parentID, self.isSampled, self.state) = (traceID, parentID, isSampled, state)
  }

  /// The value of the field `traceparent`.
  public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

  /// The same trace with a new parent.
  public func child() -> TraceContext {
    TraceContext(traceID, Self.makeID(8), isSampled: isSampled, state: state)
  }

  private static func isHex(_ text: Substring, _ count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func makeID(_ count: Int) -> String {
    var bytes = Crypto.random(count)
    // All zero means none.
    if bytes.allSatisfy({ $0 == 0 }) { bytes[count - 1] = 1 }
    return Hex.encode(bytes)
  }
}

extension HTTPRequest {
  /// Sets `traceparent`, and `tracestate` where there is one.
  mutating func set(_ trace: TraceContext) {
    headers["traceparent"] = trace.traceparent
    if let state = trace.state { headers["tracestate"] = state }
  }
}
