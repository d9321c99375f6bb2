#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// Managers of sockets over libcurl's wire, against servers that follow a script.
  @MainActor class SocketCase: XCTestCase {
    private var servers: [ScriptedServer] = []
    let log = SocketLog()

    override func tearDown() async throws {
      for server in servers { server.stop() }
      servers = []
    }

    func server(_ scripts: [[ScriptedServer.Step]], tls: ScriptedTLS? = nil) throws -> ScriptedServer {
      let server = try ScriptedServer(scripts: scripts, tls: tls)
      servers.append(server)
      return server
    }

    func socket(
      _ server: ScriptedServer, cookies: CookieJar? = nil,
      _ change: (inout SocketService) -> Void = { _ in },
      configuration: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> EchoSocket {
      var settings = TransportConfiguration()
      configuration(&settings)
      var service = SocketService(
        environments: ServiceEnvironments(try server.url("/api")),
        client: HTTPClient(transport: try CurlTransport(settings), cookies: cookies))
      change(&service)
      let socket = EchoSocket(service)
      socket.delegate = log
      return socket
    }

    static let closing = ServerFrames.close(1000)
  }
#endif
