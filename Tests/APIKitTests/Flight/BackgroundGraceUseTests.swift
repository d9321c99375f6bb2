// The code of Docs/Progress.md that needs UIKit: `Scripts/apple --tests` compiles it.
#if canImport(UIKit) && !os(watchOS)
  import APIKit
  import UIKit

  @MainActor private func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: Any?
  ) -> Bool {
    do { try BackgroundGrace.turnOn() } catch { print(error) }
    return true
  }
#endif
