import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Options of a load, stated by the load, its manager, its service or the transport's configuration.
@MainActor final class LoadOptionsTests: XCTestCase {
  private let stub = StubTransport(
    .json(someJSON),
    loadOptions: LoadOptions(
      connectTo: "10.0.0.4", allowsExpensive: false,
      timeouts: HTTPTimeouts(connect: .seconds(4), idle: .seconds(4))))

  private func manager(_ stub: StubTransport? = nil) -> TestManager {
    var service = TestService(stub ?? self.stub)
    service.timeouts.total = .seconds(50)
    service.loadOptions = LoadOptions(
      connectTo: "10.0.0.3", serviceType: .video, timeouts: HTTPTimeouts(idle: .seconds(3)))
    let manager = TestManager(service)
    manager.loadOptions = LoadOptions(connectTo: "10.0.0.2", compressesBody: true)
    return manager
  }

  func testTheLoadGoesBeforeItsManagerTheServiceAndTheConfiguration() async throws {
    let manager = manager()
    let response = try await manager.response(
      options: LoadOptions(login: HTTPLogin(user: "ann", password: "hunter2"), allowsCellular: false))
    let request = try XCTUnwrap(stub.requests.last)
    XCTAssertEqual(request.options.connectTo, "10.0.0.2")
    XCTAssertEqual(request.options.login?.user, "ann")
    XCTAssertEqual(request.options.compressesBody, true)
    XCTAssertEqual(request.options.allowsCellular, false)
    XCTAssertEqual(request.options.allowsExpensive, false)
    XCTAssertNil(request.options.allowsConstrained)
    XCTAssertEqual(request.options.serviceType, .video)
    XCTAssertEqual(
      request.timeouts, HTTPTimeouts(connect: .seconds(4), idle: .seconds(3), total: .seconds(50)))
    let record = try XCTUnwrap(response.record)
    XCTAssertTrue(
      record.description.contains(
        "options: login ann:••• (load), allowsCellular false (load), connectTo 10.0.0.2 (manager), "
          + "compressesBody true (manager), serviceType video (service), timeouts.idle 3 s (service), "
          + "allowsExpensive false (configuration), timeouts.connect 4 s (configuration)"), record.description
    )
    XCTAssertFalse(record.description.contains("hunter2"))
    _ = try await manager.response(options: LoadOptions(connectTo: "10.0.0.1"))
    XCTAssertEqual(stub.requests.last?.options.connectTo, "10.0.0.1")
  }

  func testTimeoutsOfTheManagerAndThenOfTheServiceWinOverThoseOfSharedOptions() async throws {
    let manager = manager()
    manager.service.timeouts = HTTPTimeouts(connect: .seconds(20), idle: .seconds(20))
    manager.timeouts = HTTPTimeouts(idle: .seconds(10))
    let record = try await manager.response().record?.description
    XCTAssertEqual(stub.requests.last?.timeouts, HTTPTimeouts(connect: .seconds(4), idle: .seconds(10)))
    XCTAssertEqual(record?.contains("timeouts.connect 4 s (configuration)"), true, record ?? "")
    XCTAssertEqual(record?.contains("timeouts.idle"), false, record ?? "")
    manager.timeouts = manager.service.timeouts
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.last?.timeouts, manager.service.timeouts)
    manager.loadOptions.timeouts.idle = .seconds(2)
    _ = try await manager.response(options: LoadOptions(timeouts: HTTPTimeouts(connect: .seconds(1))))
    XCTAssertEqual(
      stub.requests.last?.timeouts, HTTPTimeouts(connect: .seconds(1), idle: .seconds(2)))
  }

  func testALoadsOwnHandlerDecidesAboutItsChallengesAndItsManagersAboutTheOthers() async throws {
    let out = StubResponse.status(401, headers: ["WWW-Authenticate": "Basic realm=\"Hangar\""])
    let stub = StubTransport(out, .json(someJSON), out, .json(someJSON))
    let handler = { (user: String) in
      ChallengeHandler { challenge in
        XCTAssertEqual(challenge.space.realm, "Hangar")
        return .use(.login(HTTPLogin(user: user, password: "landing")))
      }
    }
    let manager = manager(stub)
    manager.loadOptions = LoadOptions(challenges: handler("manager"))
    let response = try await manager.response(options: LoadOptions(challenges: handler("load")))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.options.login?.user }, [nil, "load", nil, "manager"])
    XCTAssertTrue(response.record?.description.contains("challenges stated (load)") == true)
  }

  func testAPlainLoadStatesAndRecordsNothing() async throws {
    let stub = StubTransport(.json(someJSON))
    let response = try await TestManager(stub).response()
    let events = try XCTUnwrap(response.record?.events)
    XCTAssertFalse(events.contains { if case .options = $0 { true } else { false } })
    XCTAssertTrue(LoadOptions.merging([(.load, LoadOptions())]).options.isEmpty, "nothing stated is none")
    XCTAssertEqual(stub.requests.first?.options.compressesBody, false)
  }

  func testATransportThatIsPutInsteadBringsItsOwnOptions() async throws {
    var client = HTTPClient(transport: StubTransport())
    client.transport = stub
    var service = TestService(stub)
    service.client = client
    _ = try await TestManager(service).response()
    XCTAssertEqual(stub.requests.last?.options.connectTo, "10.0.0.4")
  }

  func testALoadWithItsOwnOptionsIsNotShared() async throws {
    let stub = StubTransport(.json(someJSON))
    let shared = SharedState()
    let manager = TestManager(stub)
    manager.sharedState = shared
    manager.joinsIdenticalFlights = true
    stub.hold()
    let path = temporaryPath()
    manager.load(["id": 1])
    manager.load(["id": 1], options: LoadOptions(destination: .file(path: path)))
    try await stub.waitForRequests(2)
    stub.release()
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertTrue(FileManager.default.fileExists(atPath: path))
    // What all loads of the service have in common does not keep them apart.
    manager.service.loadOptions = LoadOptions(connectTo: "10.0.0.3")
    stub.hold()
    manager.load(["id": 2])
    manager.load(["id": 2])
    await waitUntil { shared.joins.waiterCount == 2 }
    stub.release()
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testALoadWithItsOwnOptionsIsNoPartOfABatch() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = TestService(stub)
    let asked = Counter()
    service.onBatchPlan = { _ in
      _ = asked.next()
      return nil
    }
    let manager = TestManager(service)
    _ = try await manager.response(options: LoadOptions(allowsCellular: false))
    XCTAssertEqual(asked.value, 0)
    _ = try await manager.response()
    XCTAssertEqual(asked.value, 1)
  }

  func testABodyInAFileIsNeitherStoredNorTakenFromTheStore() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = TestService(stub)
    service.store = ResponseCache()
    let manager = TestManager(service)
    manager.cachePolicy = .fresh(for: .seconds(60))
    let path = temporaryPath()
    let toFile = LoadOptions(destination: .file(path: path))
    _ = try await manager.response(options: toFile)
    let first = try await manager.response()
    XCTAssertEqual(first.provenance, .network, "nothing was stored")
    let second = try await manager.response(options: toFile)
    XCTAssertEqual(second.provenance, .network)
    XCTAssertEqual(stub.requests.count, 3)
    let third = try await manager.response()
    XCTAssertNotEqual(third.provenance, .network, "what was stored before stays")
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response(cache: .storedOnly, options: toFile)
    }
    XCTAssertEqual(error.reason, .notCached)
  }

  func testLoadsWithAnotherLoginHaveTheirOwnStoredResponses() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = TestService(stub)
    service.store = ResponseCache()
    let manager = TestManager(service)
    manager.cachePolicy = .fresh(for: .seconds(60))
    manager.service.cachePartition = nil
    for (user, count) in [("ann", 1), ("bob", 2), ("ann", 2)] {
      _ = try await manager.response(options: LoadOptions(login: HTTPLogin(user: user, password: "p")))
      XCTAssertEqual(stub.requests.count, count, user)
    }
  }

  func testOptionsThatAServiceStoresBesideItsWireAreLost() async throws {
    struct Lost: APIService {
      let name = "Lost"
      let environments = ServiceEnvironments("https://lost.test")
      let loadOptions = LoadOptions(compressesBody: true)
    }
    XCTAssertEqual(Lost().lostStatements.filter { $0.contains("loadOptions") }.count, 1)
  }
}
