#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// An event stream continues for its user alone, and at its server alone.
  @MainActor final class StreamUserTests: StreamCase {
    func testTheStreamOfTheNextUserDoesNotContinueThatOfTheOneBefore() async throws {
      let script: [ScriptedServer.Step] = [
        .readRequest, .text(Self.head() + "id: 7\ndata: a\n\ndata: [DONE]\n\n"), .waitForClose,
      ]
      var (service, server) = try service(Array(repeating: script, count: 4))
      let authenticator = Authenticator(store: MemoryCredentialStore())
      service.authenticator = authenticator
      let events = Events(service)
      events.delegate = log
      func open(_ user: String?) async throws {
        if let user {
          try? authenticator.signOut()
          try authenticator.signIn(with: Credential(accessToken: user))
        }
        let before = log.closings
        events.open()
        await log.wait { log.closings > before }
      }
      try await open("anna")
      try await open(nil)
      try await open("bert")
      // What the application sets is its own.
      try authenticator.signOut()
      events.lastEventID = "3"
      try await open("carl")
      XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, "7", nil, "3"])
      XCTAssertEqual(
        server.requests.map { $0.headers["Authorization"] },
        ["Bearer anna", "Bearer anna", "Bearer bert", "Bearer carl"])
    }

    func testTheStreamOfAnotherEnvironmentDoesNotContinueThatOfTheOneBefore() async throws {
      let lost: [ScriptedServer.Step] = [.readRequest, .text(Self.head() + "retry: 1\nid: 7\ndata: a\n\n")]
      let last: [ScriptedServer.Step] = [
        .readRequest, .text(Self.head() + "id: 8\ndata: [DONE]\n\n"), .waitForClose,
      ]
      let (service, server) = try service([lost, last])
      let (other, otherServer) = try self.service([last])
      service.environments[.development] = other.environments[.release]
      let events = Events(service)
      events.delegate = log
      events.jitter = { 0 }
      // The connection after that of the first event goes to the second server.
      log.onEvent = { service.environments.current = .development }
      events.open()
      await log.wait { log.closings == 1 }
      service.environments.current = .release
      events.open()
      await log.wait { log.closings == 2 }
      XCTAssertEqual(otherServer.requests.map { $0.headers["Last-Event-ID"] }, [nil])
      XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, nil])
      XCTAssertEqual(events.lastEventID, "8")
    }
  }
#endif
