import APIKit
import CMachine
import DemoServer
import Foundation
import TestServers

/// nginx with one page of 20 homes.
struct WireServer: Sendable {
  /// The server that most rows share.
  static let shared = Result { try WireServer() }

  private let nginx: NginxServer
  private let origin: DemoServer?

  init() throws {
    origin = nil
    nginx = try NginxServer(
      locations: "location /api/ { alias files/; gzip off; default_type application/json; }")
    try Data(try RawFixtures.page()).write(to: nginx.files.appendingPathComponent("list"))
  }

  /// One whose response takes so long as if it were far away: nginx fetches the page from a server that waits.
  init(delay: Duration) throws {
    let origin = try DemoServer()
    let page = String(decoding: try RawFixtures.page(), as: UTF8.self)
    origin.on(.get, "/list") { _ in
      var response = DemoResponse.json(page)
      response.delay = delay
      return response
    }
    self.origin = origin
    nginx = try NginxServer(locations: "location /api/ { proxy_pass \(try origin.url("/")); gzip off; }")
  }

  /// What the page's path, `list`, is appended to.
  var baseURL: String { nginx.url("/api") }

  /// Lets the server, which is one process of one thread, run on one core alone.
  func pin(toCore core: Int32) throws {
    let file = nginx.files.deletingLastPathComponent().appendingPathComponent("nginx.pid")
    let text = try String(contentsOf: file, encoding: .utf8)
    guard let id = pid_t(text.filter(\.isNumber)), machine_pin(id, core) == 0 else {
      throw BenchFailure("nginx cannot be pinned to core \(core)")
    }
  }
}
