import APIKit
import Foundation

/// What a console knows: its rules, and the requests that it can send again. Safe on any thread.
final class ConsoleState: Sendable {
  /// A request that was sent, with its secrets, which never leave the process by the console.
  struct Kept: Sendable {
    let number: Int
    let flight: FlightID?
    let exchange: HTTPExchange
    let transport: any HTTPTransport
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
  /// How many requests are kept, how long a body of one may be, how many rules there may be, and replays at once.
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

  /// Keeps a request while a page is open, and shows it there.
  func keep(_ exchange: HTTPExchange, _ transport: any HTTPTransport) {
    guard feed.isOn else { return }
    var plain = HTTPExchange(exchange.request, destination: .memory(maximumBytes: 1 << 20))
    plain.crossesOrigin = exchange.crossesOrigin
    let mayReplay = Self.mayReplay(exchange.request)
    let kept = state.withLock { state -> Kept in
      state.count += 1
      let kept = Kept(number: state.count, flight: exchange.flightID, exchange: plain, transport: transport)
      if mayReplay { state.kept = (state.kept + [kept]).suffix(Self.mostKept) }
      return kept
    }
    feed.tell(
      Shown(
        number: kept.number, flight: kept.flight?.rawValue, method: exchange.request.method.rawValue,
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

  /// Sends a kept request once more, as it was sent, and tells the page what became of it. Returns why it does not.
  func replay(_ number: Int) -> ConsoleResponse {
    let kept = state.withLock { state -> Kept? in
      guard let kept = state.kept.first(where: { $0.number == number }) else { return nil }
      guard state.running < Self.mostReplays else { return nil }
      state.running += 1
      return kept
    }
    guard let kept else {
      return ConsoleResponse(409, "It is not kept any more, or too many replays are running.\n")
    }
    Task {
      var replayed = Replayed(number: number)
      do throws(APIError) {
        let response = try await kept.transport.send(kept.exchange)
        (replayed.status, replayed.bytes) = (response.status, response.body.count)
      } catch {
        replayed.failure = error.label
      }
      state.withLock { $0.running -= 1 }
      feed.tell(replayed)
    }
    return ConsoleResponse(202, "Sent.\n")
  }
}
