import APIKit
import APIKitReports
import Foundation

/// What the console responds to requests with.
final class ConsolePages: Sendable {
  private let token: String
  private let state: ConsoleState
  private let statistics: FlightStatistics
  /// The port of the server, once it is known.
  let port = AtomicInt()

  init(token: String, state: ConsoleState, statistics: FlightStatistics) {
    (self.token, self.state, self.statistics) = (token, state, statistics)
  }

  func respond(to request: ConsoleRequest) -> ConsoleResponse {
    if let status = request.refusal(port: UInt16(port.load())) { return ConsoleResponse(status) }
    // Without the token nothing is told, not even what there is.
    guard let path = request.path(behind: token) else { return ConsoleResponse(404) }
    switch (request.method, path) {
    case ("GET", ""): return page
    case ("GET", "events"):
      var response = ConsoleResponse(200, type: "text/event-stream")
      response.isStream = true
      return response
    case ("GET", "report"): return report
    case ("GET", "rules"): return rules
    case ("POST", "rules"): return setRules(request.body)
    case ("POST", "replay"):
      guard let number = Int(String(decoding: request.body, as: UTF8.self)) else {
        return ConsoleResponse(400)
      }
      return state.replay(number)
    case (_, ""), (_, "events"), (_, "report"), (_, "rules"), (_, "replay"): return ConsoleResponse(405)
    default: return ConsoleResponse(404)
    }
  }

  /// The live page. Its script and style run by a number of this response alone.
  private var page: ConsoleResponse {
    let nonce = Nonce.make()
    var response = ConsoleResponse(200, ConsolePage.html(nonce: nonce), type: "text/html; charset=utf-8")
    response.policy =
      "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return response
  }

  /// The page of APIKitReports, which brings its own policy.
  private var report: ConsoleResponse {
    let page = ReportPage(statistics.report, records: FlightLog.shared.records, title: "Console")
    var response = ConsoleResponse(200, page.html, type: "text/html; charset=utf-8")
    response.policy = "frame-ancestors 'none'"
    return response
  }

  private var rules: ConsoleResponse {
    let text = (try? JSONEncoder().encode(state.rules.map(PageRule.init))).map {
      String(decoding: $0, as: UTF8.self)
    }
    return ConsoleResponse(200, text ?? "[]", type: "application/json")
  }

  private func setRules(_ body: [UInt8]) -> ConsoleResponse {
    guard let rules = (try? JSONDecoder().decode([PageRule].self, from: Data(body)))?.map(\.rule) else {
      return ConsoleResponse(400, "The body is no list of rules.\n")
    }
    guard rules.count <= ConsoleState.mostRules else {
      return ConsoleResponse(400, "There may be \(ConsoleState.mostRules) rules.\n")
    }
    for rule in rules { if let objection = rule.objection { return ConsoleResponse(400, objection + "\n") } }
    state.rules = rules
    return self.rules
  }
}

/// A rule as the page writes and reads it.
private struct PageRule: Codable {
  var pattern: String
  var latencyMilliseconds: Int
  var loss: Double
  var status: Int?

  init(_ rule: FaultRule) {
    (pattern, latencyMilliseconds, loss, status) = (
      rule.pattern, rule.latencyMilliseconds, rule.loss, rule.status
    )
  }

  var rule: FaultRule {
    FaultRule(pattern, latencyMilliseconds: latencyMilliseconds, loss: loss, status: status)
  }
}
