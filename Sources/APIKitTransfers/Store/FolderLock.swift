import APIKit
import Foundation

/// The lock on a file of a queue or a transfer, as `FileLock` is.
///
/// In the container of an app group it is given up before the system suspends the process, which would be ended otherwise
/// (0xdead10cc), and taken again when it is needed next, unless another process has written the file or has the lock: that one
/// continues in its place.
/// - SeeAlso: <https://developer.apple.com/documentation/xcode/sigkill>
final class FolderLock: Sendable {
  private enum LockPhase {
    case held(FileLock)
    /// With the file as it was then.
    case givenUp(FileIdentity?)
  }

  private let path: String
  private let phase: Mutex<LockPhase>
  private let watch: SuspensionWatch?

  /// Takes the lock if it is free; nil when it is held. The file is made.
  convenience init?(ifFree path: String) throws {
    try self.init(ifFree: path, watch: SuspensionWatch.forLocks(at: path))
  }

  /// - Parameter watch: What tells that the process is about to be suspended; nil where it may keep the lock.
  init?(ifFree path: String, watch: SuspensionWatch?) throws {
    guard let lock = try FileLock(ifFree: path) else { return nil }
    self.path = path
    self.watch = watch
    phase = Mutex(.held(lock))
    watch?.add(self)
  }

  deinit { watch?.remove(ObjectIdentifier(self)) }

  /// Ends the lock before the object is released.
  func release() { phase.withLock { if case .held(let lock) = $0 { lock.release() } } }

  /// Whether it is held, and the path still names its file.
  func holds(_ path: String) -> Bool {
    guard retake() else { return false }
    return phase.withLock { if case .held(let lock) = $0 { lock.holds(path) } else { false } }
  }

  /// Takes it again where it was given up; false where that cannot be: another process has it, or has written the file.
  func retake() -> Bool {
    let (isHeld, isNew) = phase.withLock { phase in
      guard case .givenUp(let file) = phase else { return (true, false) }
      guard let file, FileIdentity(path: path) == file, let lock = try? FileLock(ifFree: path) else {
        return (false, false)
      }
      phase = .held(lock)
      return (true, true)
    }
    if isNew { watch?.add(self) }
    return isHeld
  }

  /// The process is about to be suspended.
  fileprivate func giveUp() {
    phase.withLock { phase in
      if case .held = phase { phase = .givenUp(FileIdentity(path: path)) }
    }
  }
}

/// Has locks given up before the system suspends the process. As long as there is one, an activity of the process is under way,
/// whose end the system announces.
final class SuspensionWatch: Sendable {
  /// Begins an activity; what it is given is called when its time is over, what it returns ends it before.
  typealias Activity = @Sendable (_ isOver: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  private struct WeakLock {
    weak var lock: FolderLock?
  }

  private struct WatchState {
    var locks: [ObjectIdentifier: WeakLock] = [:]
    var end: (@Sendable () -> Void)?
  }

  private let state = Mutex(WatchState())
  private let activity: Activity

  init(_ activity: @escaping Activity) { self.activity = activity }

  /// That of the system, for files that several processes of an app group share; nil for others, and where nothing is
  /// suspended.
  static func forLocks(at path: String) -> SuspensionWatch? { isShared(path) ? system : nil }

  static func isShared(_ path: String) -> Bool { path.contains("/Containers/Shared/AppGroup/") }

  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)>
  private static let system: SuspensionWatch? = {
    #if canImport(FoundationNetworking) || os(macOS)
      nil
    #else
      SuspensionWatch { isOver in
        let end = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "APIKit: locks in an app group") {
          isExpired in
          guard isExpired else { return end.wait() }
          isOver()
          end.signal()
        }
        return { end.signal() }
      }
    #endif
  }()

  func add(_ lock: FolderLock) {
    let isFirst = state.withLock { state in
      defer { state.locks[ObjectIdentifier(lock)] = WeakLock(lock: lock) }
      return state.locks.isEmpty
    }
    guard isFirst else { return }
    let end = activity { [weak self] in self?.expire() }
    let isNeeded = state.withLock { state in
      guard !state.locks.isEmpty else { return false }
      state.end = end
      return true
    }
    if !isNeeded { end() }
  }

  func remove(_ lock: ObjectIdentifier) {
    let end = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.locks.removeValue(forKey: lock) != nil, state.locks.isEmpty else { return nil }
      return state.end.take()
    }
    end?()
  }

  private func expire() {
    let locks = state.withLock { state in
      defer { state = WatchState() }
      return state.locks.values.compactMap(\.lock)
    }
    for lock in locks { lock.giveUp() }
  }
}
