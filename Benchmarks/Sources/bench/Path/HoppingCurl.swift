import BareCurl
import Dispatch
import Foundation

/// libcurl on a thread of its own, asked from the main actor and telling it: the two hops of a load with nothing in
/// them. `@unchecked Sendable`: the semaphore and the main queue hand it from one thread to the other.
final class HoppingCurl: @unchecked Sendable {
  private let url: String
  private let byteCount: Int
  private let asked = DispatchSemaphore(value: 0)
  private var left: Int
  private var isWhole = true
  private var isOver = false
  private var waiter: CheckedContinuation<Bool, Never>?

  init(_ url: String, count: Int, byteCount: Int) {
    self.url = url
    self.byteCount = byteCount
    left = count
  }

  /// Whether every fetch gave every byte.
  @MainActor func run() async -> Bool {
    Thread.detachNewThread { self.fetch() }
    return await withCheckedContinuation { waiter in
      self.waiter = waiter
      asked.signal()
    }
  }

  private func fetch() {
    let curl = bare_curl_open(url)
    defer { bare_curl_close(curl) }
    while true {
      asked.wait()
      if isOver { return }
      if bare_curl_fetch(curl) != byteCount { isWhole = false }
      DispatchQueue.main.async { self.landed() }
    }
  }

  private func landed() {
    left -= 1
    isOver = left == 0
    asked.signal()
    if isOver { waiter?.resume(returning: isWhole) }
  }
}
