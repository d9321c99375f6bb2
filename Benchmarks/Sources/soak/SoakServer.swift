import APIKit
import DemoServer
import Synchronization

/// The origin: it responds with the number that it was asked for and the user who asked.
final class SoakServer: Sendable {
  let server: DemoServer
  private let generation = Mutex(1)
  private let plant: Plant?

  init(plant: Plant?) throws {
    server = try DemoServer()
    self.plant = plant
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

  private func respond(to request: DemoRequest) -> DemoResponse {
    let token = (request.headers["Authorization"] ?? "").split(separator: " ").last ?? ""
    let parts = token.split(separator: ".")
    guard parts.count == 2, parts[1] == "\(generation.withLock { $0 })" else { return DemoResponse(401) }
    var user = String(parts[0])
    if let cookie = request.headers["Cookie"], cookie != "user=\(user)" { user = "\(user) with \(cookie)" }
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
    response.headers["Set-Cookie"] = "user=\(parts[0])"
    response.headers["Cache-Control"] = "max-age=1"
    if number % 5 == 0 { response.delay = .milliseconds(number % 40) }
    if number % 3 == 0 { response.framing = .chunked(size: 1000) }
    return response
  }
}
