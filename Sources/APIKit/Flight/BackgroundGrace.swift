/// Asks the system for time to finish the loads in flight when the application goes to the background.
///
/// While a load of a manager is in flight, the process has one background task of `UIApplication`, which ends with the last
/// load, or when the system's time is over (some thirty seconds). Then the process is suspended, and the loads continue
/// when it runs again, or fail. Off by default, because a load that waits for long would keep the process awake without
/// need.
/// - SeeAlso: <https://developer.apple.com/documentation/uikit/extending-your-app-s-background-execution-time>
@MainActor public enum BackgroundGrace {
  private static var grace: FlightGrace?

  /// Whether it was turned on; false at first.
  public static var isOn: Bool { grace != nil }

  /// Asks for time for the loads that take off from now on. Call it once, when the application has launched.
  ///
  /// Throws ``APIError/Reason/unsupportedCapability`` where there are no such tasks: in an extension of an application, in a
  /// process without one, and on other systems than iOS, tvOS and visionOS.
  public static func turnOn() throws(APIError) {
    guard !isOn else { return }
    guard let tasks = ApplicationTasks.ofProcess else {
      throw APIError(
        .takeoff, .unsupportedCapability,
        "background tasks are for applications of iOS, tvOS and visionOS, not for their extensions; what goes on without the process is a transfer of a TransferQueue"
      )
    }
    grace = FlightGrace(tasks)
    grace?.isOn = true
  }

  /// Asks for no more time, and ends the present background task.
  public static func turnOff() {
    grace?.isOn = false
    grace = nil
  }
}
