import APIKit
import DemoServer
import Foundation
import XCTest

@testable import APIKitTesting
@testable import DemoCLI

/// The demo's APIs on tapes and in archives.
@MainActor final class DemoTapeTests: XCTestCase {
  private let file = FileManager.default.temporaryDirectory.path + "/apikit-demo-\(UUID().uuidString).har"

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: file) }

  func testRecordingsOfAllDemoAPIsReplayEqualToTheLiveRun() async throws {
    let server = try DemoServer(signatures: .standard())
    var rules = TapeRules()
    // The Sacramento service says in it whether it has succeeded.
    rules.plainNames = ["code"]
    let recorder = try TapeTransport(
      file: file, mode: .record(over: DefaultTransport.shared), rules: rules, pace: .instant,
      time: SystemTime(),
      isCI: false)
    let live = try await loads(over: recorder, at: server.baseURL)
    try recorder.save()
    server.stop()

    let tape = try TapeTransport(file: file, rules: rules)
    let replayed = try await loads(over: tape, at: server.baseURL)
    XCTAssertEqual(live.count, 8)
    XCTAssertEqual(replayed, live)
    XCTAssertEqual(tape.unused, [])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for key in [DemoSignatures.Keys.sacramento, DemoSignatures.Keys.ames] {
      XCTAssertFalse(text.contains(key))
    }
  }

  /// What every API of the demo says: lists with two pages, and a home each.
  private func loads(over transport: any HTTPTransport, at base: HTTPURL) async throws -> [[UInt8]] {
    let wire = WireOptions(client: HTTPClient(transport: transport))
    let cache = CacheOptions(store: nil)
    func environments(_ path: String) throws -> ServiceEnvironments {
      ServiceEnvironments(try HTTPURL(base.string + path))
    }
    let sacramento = SacramentoService(
      environments: try environments("sacramento"), wire: wire, cache: cache)
    let ames = AmesService(environments: try environments("ames"), wire: wire, cache: cache)
    let new = NewHomesService(environments: try environments("new"), wire: wire, cache: cache)
    var bodies: [[UInt8]] = []
    let newHomes = NewHomesManager(new)
    let lists: [any HomesManager] = [SacramentoHomesManager(sacramento), AmesHomesManager(ames), newHomes]
    for list in lists {
      for page in 1...2 { bodies.append(try await list.response(for: ["page": page, "size": 5]).bytes) }
    }
    bodies.append(try await AmesHomeManager(ames).response(for: ["id": "ames-17"]).bytes)
    let first = try RawData(parsing: bodies[0])["data"].items[0].home_id.lenientString
    bodies.append(
      try await SacramentoHomeManager(sacramento).response(for: ["id": try XCTUnwrap(first)]).bytes)
    return bodies
  }

  func testTheArchiveOfARunHasItsRequestsAndNoSecret() async throws {
    let run = await CommandLineRun("list --size 3 --no-cache --har \(file)")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
    let entries = try HTTPArchive(parsing: bytes).entries
    XCTAssertEqual(Set(entries.compactMap(\.apiName)), ["homes", "listings", "projects"])
    XCTAssertTrue(
      entries.allSatisfy { $0.response?.status == 200 && $0.response?.body.bytes?.isEmpty == false })
    let ames = try XCTUnwrap(entries.first { $0.apiName == "listings" })
    XCTAssertTrue(ames.request.headers.contains { $0.value == "•••" }, "the signature is shown")
    let lost = await CommandLineRun("list --size 3 --no-cache --har /nowhere/at/all.har")
    XCTAssertEqual(lost.status, .failed)
  }
}
