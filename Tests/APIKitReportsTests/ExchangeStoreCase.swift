import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Tests of exchanges that are kept in a folder of their own.
class ExchangeStoreCase: XCTestCase {
  let key = SecretKey(bytes: [UInt8](0..<32))
  let stub = StubTransport()
  lazy var folder = temporaryPath()

  var path: String { folder + "/exchanges.sqlite" }

  func makeStore(
    _ limits: ExchangeLimits = .init(), key: SecretKey? = nil, time: any TimeSource = SystemTime(),
    maximumPages: Int? = nil
  ) throws -> ExchangeStore {
    let store = try ExchangeStore(
      path: path, key: key ?? self.key, limits: limits, time: time, maximumPages: maximumPages)
    store.isOn = true
    // Before its folder is removed.
    addTeardownBlock { [weak store] in await store?.flush() }
    return store
  }

  func send(
    _ store: ExchangeStore, _ url: String, _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:],
    body: HTTPBody = .empty
  ) async throws {
    _ = try? await store.keeping(stub).send(
      HTTPRequest(method: method, url: try HTTPURL(url), headers: headers, body: body))
  }

  func query(_ change: (inout ExchangeQuery) -> Void) -> ExchangeQuery {
    var query = ExchangeQuery()
    change(&query)
    return query
  }
}
