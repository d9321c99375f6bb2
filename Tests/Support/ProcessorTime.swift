import Foundation

extension Duration {
  /// The time of the processor that this process has used. What others do meanwhile does not count, as it does for a clock.
  static var ofProcessor: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
