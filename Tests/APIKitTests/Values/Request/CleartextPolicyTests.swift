import XCTest

@testable import APIKit

/// Which servers are asked without TLS.
final class CleartextPolicyTests: XCTestCase {
  private func isRefused(_ policy: CleartextPolicy, _ url: String, connectTo: String? = nil) throws -> Bool {
    var request = HTTPRequest(url: try HTTPURL(url))
    request.options.connectTo = connectTo
    do throws(APIError) { try policy.check(request) } catch {
      XCTAssertEqual(error.reason, .cleartextRefused)
      return true
    }
    return false
  }

  func testByDefaultOnlyThisMachineIsAskedWithoutTLS() throws {
    for url in [
      "http://localhost/", "http://app.localhost:80/", "http://127.0.0.1:8080/", "http://127.1/",
      "http://0x7f.0.0.9/", "http://[::1]/", "https://far.test/", "ftp://far.test/a", "ws://localhost/",
    ] {
      XCTAssertFalse(try isRefused(.loopback, url), url)
    }
    for url in [
      "http://far.test/", "http://127.evil.test/", "http://10.0.0.1/", "http://notlocalhost/",
      "http://[::2]/",
      "http://localhost.far.test/", "ws://far.test/", "http://128.0.0.1/",
    ] {
      XCTAssertTrue(try isRefused(.loopback, url), url)
      XCTAssertFalse(try isRefused(.allowed, url), url)
    }
  }

  func testNamedHostsAreComparedInTheirCanonicalForm() throws {
    let policy = CleartextPolicy.loopback(and: ["Dev.Internal", "10.1"])
    for url in ["http://dev.internal/", "http://DEV.internal:8080/", "http://10.0.0.1/", "http://localhost/"]
    {
      XCTAssertFalse(try isRefused(policy, url), url)
    }
    XCTAssertTrue(try isRefused(policy, "http://a.dev.internal/"))
  }

  func testWhatIsConnectedToCounts() throws {
    for address in ["127.0.0.1", "127.0.0.1:8080", "::1", "[::1]:80"] {
      XCTAssertFalse(try isRefused(.loopback, "http://far.test/", connectTo: address), address)
    }
    for address in ["10.0.0.1", "10.0.0.1:80", "2001:db8::1", "[2001:db8::1]:80"] {
      XCTAssertTrue(try isRefused(.loopback, "http://localhost/", connectTo: address), address)
    }
  }

  func testEveryReadyMadeConfigurationHasItOn() {
    for configuration in [TransportConfiguration(), .standard, .ephemeral, .production, .debug, .background] {
      XCTAssertEqual(configuration.cleartext, .loopback)
    }
  }
}
