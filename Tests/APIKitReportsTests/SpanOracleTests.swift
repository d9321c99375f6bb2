#if os(Linux)
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitReports
  import APIKitTesting

  /// Writes what an exporter sends of loads over a real wire, for `Scripts/oracles/spans`.
  @MainActor final class SpanOracleTests: XCTestCase {
    func testWriteWhatACollectorGets() async throws {
      guard let file = ProcessInfo.processInfo.environment["APIKIT_SPANS"] else {
        throw XCTSkip("APIKIT_SPANS is not set; run Scripts/oracles/spans")
      }
      let server = try ScriptedServer.serving { request in
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/api/redirected": ScriptedServer.response(302, ["Location": "/api/list"])
        case "/api/refused": ScriptedServer.response(503)
        default: ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}")
        }
      }
      defer { server.stop() }
      let gone = try ScriptedServer.serving { _ in ScriptedServer.response(204) }
      gone.stop()
      let collector = StubTransport(.json("{}"))
      let exporter = SpanExporter(
        to: "https://collector.test/v1/traces", service: "Oracle", transport: collector)
      exporter.isOn = true
      defer { exporter.isOn = false }
      let client = HTTPClient(transport: try CurlTransport(.ephemeral))
      func load(_ api: String, port: Int) async throws {
        var service = TestService(client, ServiceEnvironments(try HTTPURL("http://127.0.0.1:\(port)/api")))
        service.trace = .sent
        service.retryPolicy = RetryPolicy(attempts: 2)
        service.retryPolicy.backoff = .constant(.zero)
        let manager = TestManager(service)
        manager.apiName = api
        _ = try? await manager.response(["token": "canary"])
      }
      let context = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=1")
      try await TraceContext.$current.withValue(context) { try await load("list", port: server.port) }
      for api in ["redirected", "refused"] { try await load(api, port: server.port) }
      try await load("list", port: gone.port)
      await exporter.flush()
      guard case .bytes(let bytes)? = collector.requests.first?.body else {
        return XCTFail("nothing was sent")
      }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
  }
#endif
