import Foundation
import TestServers

/// nginx with one page of 20 homes.
struct WireServer: Sendable {
  /// The server that most rows share.
  static let shared = Result { try WireServer() }

  private let nginx: NginxServer

  init() throws {
    nginx = try NginxServer(
      locations: "location /api/ { alias files/; gzip off; default_type application/json; }")
    try Data(try RawFixtures.page()).write(to: nginx.files.appendingPathComponent("list"))
  }

  /// What the page's path, `list`, is appended to.
  var baseURL: String { nginx.url("/api") }
}
