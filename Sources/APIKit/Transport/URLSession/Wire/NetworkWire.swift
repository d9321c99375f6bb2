import Dispatch
import Foundation

/// A connection of the system, as ``NetworkWire`` uses it, on the wire's queue alone. Reports come there as well.
protocol NetworkLink: AnyObject, Sendable {
  func start(on queue: DispatchQueue, _ report: @escaping @Sendable (NetworkEvent) -> Void)
  /// Asks for bytes, once; reported as ``NetworkEvent/received(_:isComplete:_:)``.
  func receive(atMost count: Int)
  /// Sends behind what was sent before; reported as ``NetworkEvent/sent(number:_:)``.
  func send(_ data: Data, number: Int)
  /// Ends the own side behind what was sent.
  func endSending()
  func cancel(isForced: Bool)
}

/// A ``Wire`` over a connection of Apple's Network framework. ``NetworkWireMachine`` decides; this does.
///
/// `@unchecked Sendable`: what changes belongs to the wire's serial queue.
final class NetworkWire: Wire, URLSessionOperation, @unchecked Sendable {
  /// Negative, as those of a session's tasks are not.
  let taskIdentifier = ~NetworkWire.lastNumber.add(1)
  private static let lastNumber = AtomicInt()

  private let link: any NetworkLink
  private let queue = DispatchQueue(label: "APIKit.NetworkWire")
  /// Takes the wire into its transport, which ends it when it stops; throws where the transport has stopped.
  private let admit: @Sendable (NetworkWire) throws(APIError) -> Void
  /// Called once, when the wire has ended.
  private let leave: @Sendable (NetworkWire) -> Void
  private let tolerance: Int64

  // The queue alone.
  private var machine: NetworkWireMachine
  private var owner: (any WireOwner)?
  /// When the earliest alarm goes off that was set.
  private var alarm = Int64.max

  /// How late an alarm may be before the process or the machine stood still, in microseconds.
  static let tolerance = SuspendedTime.tolerance.microseconds

  init(
    _ link: any NetworkLink, _ machine: NetworkWireMachine, tolerance: Int64 = NetworkWire.tolerance,
    admit: @escaping @Sendable (NetworkWire) throws(APIError) -> Void = { _ in },
    leave: @escaping @Sendable (NetworkWire) -> Void = { _ in }
  ) {
    self.link = link
    self.machine = machine
    self.tolerance = tolerance
    self.admit = admit
    self.leave = leave
  }

  // MARK: Wire

  func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    queue.async(execute: work)
    return true
  }

  func open(for owner: any WireOwner) {
    guard machine.phase == .idle else { return }
    self.owner = owner
    do throws(APIError) {
      try admit(self)
      machine.open()
    } catch {
      machine.end(error)
    }
    proceed()
  }

  func write(_ bytes: [UInt8]) {
    machine.write(bytes)
    proceed()
  }

  var unsentBytes: Int { machine.unsentBytes }

  var isReading: Bool {
    get { machine.isReading }
    set {
      machine.isReading = newValue
      proceed()
    }
  }

  func endSending() {
    machine.endSending()
    proceed()
  }

  func startTLS(host: String) throws(APIError) {
    throw APIError(
      unsupported:
        "TLS in the middle of a connection (startTLS): the Network framework begins it with the connection")
  }

  var due = Int64.max {
    didSet { setAlarm() }
  }

  /// Without the time that the machine has slept, like the alarms.
  var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1000) }

  func cut() { end(nil) }

  /// From any thread.
  func fail(_ error: APIError) { queue.async { self.end(error) } }

  private func end(_ error: APIError?) {
    machine.end(error)
    proceed()
  }

  // MARK: What is decided

  private func take(_ event: NetworkEvent) {
    machine.take(event)
    proceed()
  }

  /// Does one action after the other. An owner's callback may come here again: what it has changed counts for the next.
  private func proceed() {
    while let action = machine.next() {
      switch action {
      case .start: link.start(on: queue) { [weak self] in self?.take($0) }
      case .receive(let count): link.receive(atMost: count)
      case .send(let data, let number): link.send(data, number: number)
      case .endSending: link.endSending()
      case .cancel(let isForced): link.cancel(isForced: isForced)
      case .opened: tell { $0.opened() }
      case .received(let data): tell { owner in data.withUnsafeBytes { owner.received($0) } }
      case .flushedPart: tell { $0.flushedPart() }
      case .flushed: tell { $0.flushed() }
      case .stoodStill: tell { $0.stoodStill() }
      case .receivedEnd(let isOrderly): tell { $0.receivedEnd(isOrderly: isOrderly) }
      case .ended(let error):
        due = .max
        leave(self)
        owner.take()?.ended(error)
      }
    }
  }

  private func tell(_ words: (any WireOwner) -> Void) {
    guard let owner else { return }
    machine.isTelling = true
    words(owner)
    machine.isTelling = false
  }

  // MARK: Time

  /// Sets an alarm unless an earlier one comes, which will set it.
  private func setAlarm() {
    guard due < alarm, due < Int64.max / 1000 else { return }
    let due = due
    alarm = due
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: UInt64(max(0, due) * 1000))) { [weak self] in
      self?.alarmWentOff(due)
    }
  }

  private func alarmWentOff(_ time: Int64) {
    guard alarm == time else { return }
    alarm = .max
    // The owner may put its deadline off.
    if due <= now, now - due > tolerance { tell { $0.stoodStill() } }
    if due <= now {
      due = .max
      tell { $0.timeHasCome() }
    }
    setAlarm()
    proceed()
  }
}
