import APIKit

/// What the servers have read of numbered requests, each number being that of one load.
///
/// A request without an idempotency key whose method is not idempotent may be read once, one with a key only with the same
/// key, and each only under the user for whom it was made: even numbers are Ada's, odd ones Ben's.
final class SoakLedger: Sendable {
  static let users = ["ada", "ben"]
  /// Numbers are below this one, so that a bit for each is all the memory that is needed.
  static let capacity = 1 << 24

  private struct State {
    var next = 0
    var isRead = [UInt64](repeating: 0, count: capacity / 64)
    var keys: [Int: String] = [:]
    var breaches: [String] = []
    var reads = 0
  }

  private let state = Mutex(State())
  private let plant: Plant?

  init(plant: Plant?) { self.plant = plant }

  /// A number for a load of a user.
  func number(for user: String) -> Int {
    state.withLock { state in
      state.next += 2
      return state.next % Self.capacity + Self.users.firstIndex(of: user)!
    }
  }

  static func owner(of number: Int) -> String { users[number % 2] }

  /// Notes a request that has come to a server whole.
  func read(_ number: Int, by user: String, isIdempotent: Bool, key: String? = nil) {
    state.withLock { state in
      state.reads += 1
      let isPlanted = plant == .readUnderOther && state.reads % 5 == 0
      if Self.owner(of: number) != user || isPlanted {
        state.breaches.append("\(number) of \(Self.owner(of: number)) was read under \(user)")
      }
      let (word, bit) = (number / 64, UInt64(1) << UInt64(number % 64))
      let wasRead = state.isRead[word] & bit != 0 || plant == .readTwice
      state.isRead[word] |= bit
      if let key {
        if let before = state.keys[number], before != key {
          state.breaches.append("\(number) was read with a second idempotency key")
        }
        state.keys[number] = key
      } else if wasRead, !isIdempotent {
        state.breaches.append("\(number) was read twice, without an idempotency key")
      }
    }
  }

  /// Whether a request with a key was read.
  func wasKept(_ number: Int) -> Bool { state.withLock { $0.keys[number] != nil } }

  /// Forgets the keys: all that was queued has landed.
  func forgetKeys() { state.withLock { $0.keys = [:] } }

  /// What was found since the last call.
  func takeBreaches() -> [String] {
    state.withLock { state in
      defer { state.breaches = [] }
      return state.breaches
    }
  }
}
