import APIKit
import APIKitTesting
import APIKitTransfers
import Foundation
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// Tests of the application without a server: a stub answers, and the network, the credentials and the folder are the test's.
@MainActor class HomesCase: XCTestCase {
  let stub = StubTransport()
  let network = NetworkMonitor(watchesSystem: false)
  let credentials = MemoryCredentialStore()
  private var folder = ""
  private var outbox: Outbox?
  private var running: Task<Void, Never>?

  override func setUp() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    stub.on(.get, "/sacramento/v1/favourites", .json(#"{"code": 0, "data": {"items": ["sac-2"]}}"#))
  }

  override func tearDown() async throws {
    running?.cancel()
    await running?.value
    await outbox?.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The application as it is after a launch.
  func launch(searchDelay: Duration = .milliseconds(50)) -> HomesModel {
    running?.cancel()
    outbox = nil
    let model = HomesModel(
      HomesModel.Configuration(
        server: "http://127.0.0.1:8080", client: HTTPClient(transport: stub), credentials: credentials,
        network: network, retryPolicy: .never, searchDelay: searchDelay, folder: folder))
    outbox = model.outbox
    running = Task { await model.run() }
    return model
  }

  /// The same with a user who has signed in before, and whose favourites are there.
  func launchSignedIn() async throws -> HomesModel {
    credentials.store(
      Credential(accessToken: "secret", refreshToken: "more", notes: ["user": "ann"]), of: "default")
    let model = launch()
    try await until { model.account.user == "ann" }
    await model.favourites.load(of: "ann")
    return model
  }

  /// Returns when a condition holds; fails after ten seconds.
  func until(
    _ isTrue: @MainActor () throws -> Bool, file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    for _ in 0..<5_000 {
      if try isTrue() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTFail("the condition did not come true", file: file, line: line)
  }
}

extension Home {
  static func make(_ number: Int) -> Home {
    Home(
      id: "sac-\(number)", name: "Home \(number)", price: 100_000 + number, beds: 3, baths: 1.5, area: 1_000,
      city: "Elk Grove", zip: "95624")
  }

  fileprivate var json: String {
    """
    {"home_id": "\(id)", "home_name": "\(name)", "asking_price": \(price), "beds": \(beds), "baths": \(baths),
     "area_sqft": \(area), "city": "\(city)", "zip": "\(zip)"}
    """
  }
}

extension StubResponse {
  /// A page of the list: the homes with these numbers, of so many in all.
  static func page(_ numbers: ClosedRange<Int>, of total: Int) -> StubResponse {
    let items = numbers.map { Home.make($0).json }.joined(separator: ", ")
    return .json(#"{"code": 0, "message": "ok", "data": {"items": [\#(items)], "total": \#(total)}}"#)
  }

  static let emptyPage = StubResponse.json(
    #"{"code": 0, "message": "ok", "data": {"items": [], "total": 0}}"#)

  static func home(_ home: Home) -> StubResponse {
    .json(#"{"code": 0, "message": "ok", "data": \#(home.json)}"#)
  }
}
