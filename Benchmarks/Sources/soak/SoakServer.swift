import APIKit
import DemoServer

/// The origin: it responds with the number that it was asked for and the user who asked.
final class SoakServer: Sendable {
  let server: DemoServer
  private let generation = Mutex(1)
  private let plant: Plant?
  private let ledger: SoakLedger?

  init(plant: Plant?, ledger: SoakLedger? = nil) throws {
    server = try DemoServer()
    self.plant = plant
    self.ledger = ledger
    for method in [HTTPMethod.get, .put, .post, .patch, .delete] {
      server.on(method, "/switched") { [unowned self] in read($0, isKept: false) }
    }
    server.on(.post, "/queued") { [unowned self] in read($0, isKept: true) }
    for method in [HTTPMethod.get, .post] { server.on(method, "/item") { [unowned self] in respond(to: $0) } }
    server.on(.get, "/never") { _ in
      var response = DemoResponse.text("late")
      response.delay = .seconds(3600)
      return response
    }
  }

  /// The token that a user gets by a renewal.
  func token(of user: String) -> String { "\(user).\(generation.withLock { $0 })" }

  /// Refuses all tokens given before.
  func expireTokens() { generation.withLock { $0 += 1 } }

  /// Whose token a request has, be it of a generation before.
  func user(of request: DemoRequest) -> String? {
    let token = (request.headers["Authorization"] ?? "").split(separator: " ").last ?? ""
    return token.split(separator: ".").first.map(String.init)
  }

  /// Whose request it is, by token and cookie; nil when the token is not good any more.
  private func accepted(_ request: DemoRequest) -> String? {
    guard let user = user(of: request),
      request.headers["Authorization"]?.hasSuffix(".\(generation.withLock { $0 })") == true
    else { return nil }
    guard let cookie = request.headers["Cookie"], cookie != "user=\(user)" else { return user }
    return "\(user) with \(cookie)"
  }

  /// A load that is counted.
  private func read(_ request: DemoRequest, isKept: Bool) -> DemoResponse {
    guard let user = accepted(request) else { return DemoResponse(401) }
    let body = try? RawData(parsing: request.body)
    guard let number = request["number"].flatMap({ Int($0) }) ?? body?["number"].int else {
      return DemoResponse(400)
    }
    ledger?.read(
      number, by: user, isIdempotent: ![.post, .patch].contains(request.method),
      key: isKept ? request.headers["Idempotency-Key"] ?? "none" : nil)
    var response = DemoResponse.json(#"{"number":\#(number),"user":"\#(user)"}"#)
    response.headers["Set-Cookie"] = "user=\(self.user(of: request) ?? "")"
    response.headers["Cache-Control"] = "max-age=1"
    if number / 2 % 4 == 0 { response.delay = .milliseconds(number / 2 % 40) }
    return response
  }

  private func respond(to request: DemoRequest) -> DemoResponse {
    guard var user = accepted(request) else { return DemoResponse(401) }
    let body = try? RawData(parsing: request.body)
    guard var number = request["number"].flatMap({ Int($0) }) ?? body?["number"].int else {
      return DemoResponse(400)
    }
    switch number % 20 == 0 ? plant : nil {
    case .otherUser: user += "x"
    case .otherRequest: number += 1
    default: break
    }
    let padding = String(repeating: "x", count: number * 7919 % 20_000)
    var response = DemoResponse.json(#"{"number":\#(number),"user":"\#(user)","padding":"\#(padding)"}"#)
    response.headers["Set-Cookie"] = "user=\(self.user(of: request) ?? "")"
    response.headers["Cache-Control"] = "max-age=1"
    if number % 5 == 0 { response.delay = .milliseconds(number % 40) }
    if number % 3 == 0 { response.framing = .chunked(size: 1000) }
    return response
  }
}
