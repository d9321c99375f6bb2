// Apple's part is type-checked by Scripts/apple, never run here. What is decided, `GraceMachine` decides, which is tested.
#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit
#endif

/// Where the background tasks of this process come from.
@MainActor enum ApplicationTasks {
  /// Those of `UIApplication`; nil where there are none.
  static var ofProcess: (any GraceTasks)? {
    #if canImport(UIKit) && !os(watchOS)
      guard !Bundle.isOfExtension, let application = UIApplication.current else { return nil }
      return UIApplicationTasks(application)
    #else
      return nil
    #endif
  }
}

#if canImport(UIKit) && !os(watchOS)
  @MainActor private final class UIApplicationTasks: GraceTasks {
    private let application: UIApplication
    private var observation: (any NSObjectProtocol)?
    var returned: (@MainActor @Sendable () -> Void)? { didSet { observe() } }

    init(_ application: UIApplication) { self.application = application }

    func begin(expired: @escaping @MainActor @Sendable () -> Void) -> Int? {
      let task = application.beginBackgroundTask(withName: "APIKit.loads", expirationHandler: expired)
      return task == .invalid ? nil : task.rawValue
    }

    func end(_ task: Int) { application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task)) }

    private func observe() {
      if let observation { NotificationCenter.default.removeObserver(observation) }
      observation = returned.map { returned in
        NotificationCenter.default.addObserver(
          forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
        ) { _ in
          MainActor.assumeIsolated { returned() }
        }
      }
    }
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
