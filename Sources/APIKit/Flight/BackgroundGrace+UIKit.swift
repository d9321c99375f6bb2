// Apple platforms only: type-checked by Scripts/apple, never run here. What is decided, `GraceMachine` decides, which is tested.
#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit

  /// Asks the system for time to finish the loads in flight when the application goes to the background.
  ///
  /// While a load of a manager is in flight, the process has one background task of `UIApplication`, which ends with the last
  /// load, or when the system's time is over (some thirty seconds). Then the process is suspended, and the loads continue
  /// when it runs again, or fail. Off by default, because a load that waits for long would keep the process awake without
  /// need.
  /// - SeeAlso: <https://developer.apple.com/documentation/uikit/extending-your-app-s-background-execution-time>
  @MainActor public enum BackgroundGrace {
    private static var grace: FlightGrace?
    private static var observation: (any NSObjectProtocol)?

    /// Whether it was turned on; false at first.
    public static var isOn: Bool { grace != nil }

    /// Asks for time for the loads that take off from now on. Call it once, when the application has launched.
    ///
    /// Throws ``APIError/Reason/unsupportedCapability`` in an extension of an application and in a process without one, which
    /// have no such tasks.
    public static func turnOn() throws(APIError) {
      guard !isOn else { return }
      guard !Bundle.isOfExtension, let application = UIApplication.current else {
        throw APIError(
          .takeoff, .unsupportedCapability,
          "background tasks are for applications, not for their extensions; what goes on without the process is a transfer of a TransferQueue"
        )
      }
      let grace = FlightGrace(SystemGraceTasks(application))
      grace.isOn = true
      self.grace = grace
      observation = NotificationCenter.default.addObserver(
        forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
      ) { _ in
        MainActor.assumeIsolated { BackgroundGrace.grace?.returned() }
      }
    }

    /// Asks for no more time, and ends the present background task.
    public static func turnOff() {
      grace?.isOn = false
      grace = nil
      if let observation { NotificationCenter.default.removeObserver(observation) }
      observation = nil
    }
  }

  @MainActor private final class SystemGraceTasks: GraceTasks {
    private let application: UIApplication

    init(_ application: UIApplication) { self.application = application }

    func begin(expired: @escaping @MainActor @Sendable () -> Void) -> Int? {
      let task = application.beginBackgroundTask(withName: "APIKit.loads", expirationHandler: expired)
      return task == .invalid ? nil : task.rawValue
    }

    func end(_ task: Int) { application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task)) }
  }

  extension UIApplication {
    /// The application of this process; nil where there is none, as in a test without a host.
    ///
    /// Found by its selector, because `shared` does not compile into extensions.
    fileprivate static var current: UIApplication? {
      let shared = NSSelectorFromString("sharedApplication")
      guard responds(to: shared) else { return nil }
      return perform(shared)?.takeUnretainedValue() as? UIApplication
    }
  }
#endif
