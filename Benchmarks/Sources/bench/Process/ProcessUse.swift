import CMachine
import Foundation

/// What this process uses now.
enum ProcessUse {
  /// The seconds of CPU that all of its threads have used.
  static var cpuSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// How many times `work` allocates, on all threads; in a child process that counts them.
  static func allocations(of work: () async throws -> Void) async throws -> Int {
    guard let start = dlsym(nil, "machine_count_allocations"), let end = dlsym(nil, "machine_allocations")
    else {
      throw BenchFailure("this process does not count its allocations")
    }
    unsafeBitCast(start, to: (@convention(c) () -> Void).self)()
    try await work()
    return unsafeBitCast(end, to: (@convention(c) () -> Int).self)()
  }

  /// What is taken from the heap, in all arenas, in bytes.
  static var heap: Int { machine_heap_in_use() }

  /// The memory it holds, in bytes.
  static var resident: Int { number("VmRSS:", in: "/proc/self/status") * 1024 }

  /// The part of it that is pages of programs and libraries, in bytes.
  static var residentFiles: Int { number("RssFile:", in: "/proc/self/status") * 1024 }

  /// Gives freed memory back to the system, so that growth from now on is not hidden in it.
  static func trimHeap() { machine_trim_heap() }

  /// The most memory it held since the last ``resetPeak()``, in bytes.
  static var peak: Int { number("VmHWM:", in: "/proc/self/status") * 1024 }

  /// Counts the peak from now on.
  static func resetPeak() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  /// How many times each of its threads has waited for something, by the thread's id.
  static var waits: [String: Int] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return Dictionary(
      uniqueKeysWithValues: threads.map { thread in
        (thread, number("voluntary_ctxt_switches:", in: "/proc/self/task/\(thread)/status"))
      })
  }

  /// The number in the line that begins with `name`; 0 when there is none.
  private static func number(_ name: String, in file: String) -> Int {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return 0 }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
    return 0
  }
}
