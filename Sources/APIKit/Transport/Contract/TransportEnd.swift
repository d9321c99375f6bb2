/// Who is told of each transport that was stopped or released; nobody at first.
enum TransportEnd {
  static let observer = Mutex<(@Sendable (_ transport: ObjectIdentifier) -> Void)?>(nil)

  /// The transport takes nothing more.
  static func tell(_ transport: AnyObject) { observer.withLock { $0 }?(ObjectIdentifier(transport)) }
}
