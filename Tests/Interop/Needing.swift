import Foundation
import TestServers
import XCTest

/// Starts what a test needs, or skips the test and says why; under `CI=true` the lack is a failure.
func needing<Server>(_ start: () throws -> Server) throws -> Server {
  do {
    return try start()
  } catch let error as TestServerError where ProcessInfo.processInfo.environment["CI"] != "true" {
    throw XCTSkip(error.description)
  }
}
