import APIKit
import Foundation

/// What a console knows: its rules, and the loads whose requests it can send again. Safe on any thread.
final class ConsoleState: Sendable {
  /// The load of a request that was sent. Neither the request nor its header fields are kept.
  struct Kept: Sendable {
    let number: Int
    let load: any ExchangeLoad
  }

  /// What the page is told of a request.
  struct Shown: Encodable {
    var kind = "request"
    let number: Int
    let flight: UInt64?
    let method: String
    let url: String
    let mayReplay: Bool
  }

  /// What became of a replay.
  struct Replayed: Encodable {
    var kind = "replayed"
    let number: Int
    var status: Int?
    var bytes: Int64?
    var failure: String?
  }

  private struct State {
    var rules: [FaultRule] = []
    var kept: [Kept] = []
    var count = 0
    var running = 0
  }

  private let state = Mutex(State())
  /// How many loads are kept, how long a body of one may be, how many rules there may be, and replays at once.
  static let (mostKept, mostBody, mostRules, mostReplays) = (200, 64 << 10, 50, 4)

  private let feed: ConsoleFeed

  init(_ feed: ConsoleFeed) { self.feed = feed }

  /// Rules that cannot be used are left out, and said.
  var rules: [FaultRule] {
    get { state.withLock { $0.rules } }
    set {
      for rule in newValue {
        if let objection = rule.objection {
          DeveloperNotice.give("a rule of the console is left out: \(objection)")
        }
      }
      let rules = newValue.filter { $0.objection == nil }.prefix(Self.mostRules)
      state.withLock { $0.rules = Array(rules) }
    }
  }

  func rule(for url: HTTPURL) -> FaultRule? {
    let rules = rules
    return rules.isEmpty ? nil : rules.first { $0.applies(to: url) }
  }

  /// Keeps the load of a request while a page is open, and shows the request there.
  func keep(_ exchange: HTTPExchange) {
    guard feed.isOn else { return }
    let load = Self.mayReplay(exchange.request) ? exchange.load : nil
    let mayReplay = load.map { $0.replayObjection == nil } ?? false
    let number = state.withLock { state in
      state.count += 1
      if let load, mayReplay {
        state.kept = (state.kept + [Kept(number: state.count, load: load)]).suffix(Self.mostKept)
      }
      return state.count
    }
    feed.tell(
      Shown(
        number: number, flight: exchange.flightID?.rawValue, method: exchange.request.method.rawValue,
        url: SecretMask().url(exchange.request.url), mayReplay: mayReplay))
  }

  /// A body that is read from a file or a stream, or is long, is not kept.
  private static func mayReplay(_ request: HTTPRequest) -> Bool {
    switch request.body {
    case .empty: true
    case .bytes(let bytes): bytes.count <= mostBody
    case .file, .stream: false
    }
  }

  /// Sends the load of a kept request once more, and tells the page what became of it. Returns why it does not.
  func replay(_ number: Int) -> ConsoleResponse {
    let kept = state.withLock { state in state.kept.first { $0.number == number } }
    guard let kept else { return ConsoleResponse(409, "It is not kept any more.\n") }
    if let objection = kept.load.replayObjection {
      return ConsoleResponse(409, "It is not sent again: \(objection).\n")
    }
    let mayRun = state.withLock { state in
      guard state.running < Self.mostReplays else { return false }
      state.running += 1
      return true
    }
    guard mayRun else { return ConsoleResponse(409, "\(Self.mostReplays) replays are under way.\n") }
    Task {
      var replayed = Replayed(number: number)
      switch await kept.load.replay() {
      case .success(let response): (replayed.status, replayed.bytes) = (response.status, response.body.count)
      case .failure(let error): (replayed.status, replayed.failure) = (error.context.status, error.label)
      }
      state.withLock { $0.running -= 1 }
      feed.tell(replayed)
    }
    return ConsoleResponse(202, "Sent.\n")
  }

  /// Forgets rules and loads.
  func clear() { state.withLock { ($0.rules, $0.kept) = ([], []) } }
}
