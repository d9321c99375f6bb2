#if os(Linux)
  import APIKit
  import TestServers
  import XCTest

  private actor Asked {
    private(set) var all: [String] = []
    func add(_ text: String) { all.append(text) }
  }

  /// Logins against httpbin, which works a digest out for itself and compares.
  final class LoginTests: XCTestCase {
    private func status(
      _ path: String, _ scheme: HTTPLogin.Scheme, password: String = "landing", times: Int = 1
    ) async throws -> [Int] {
      let httpbin = try needing { try HTTPBinServer.shared() }
      let transport = try CurlTransport(.ephemeral)
      var request = HTTPRequest(url: try HTTPURL(httpbin.url(path)))
      request.options.login = HTTPLogin(user: "flight", password: password, scheme: scheme)
      var statuses: [Int] = []
      for _ in 0..<times { statuses.append(try await transport.send(request).status) }
      return statuses
    }

    func testADigestIsTheOneTheServerWorksOut() async throws {
      for algorithm in ["MD5", "SHA-256"] {
        let path = "/digest-auth/auth/flight/landing/\(algorithm)"
        for scheme: HTTPLogin.Scheme in [.digest, .any] {
          let right = try await status(path, scheme, times: 3)
          XCTAssertEqual(right, [200, 200, 200], "\(algorithm) \(scheme)")
        }
        let wrong = try await status(path, .digest, password: "wrong")
        XCTAssertEqual(wrong, [401], algorithm)
      }
    }

    func testABasicLoginIsSentAtOnceAndInResponseToAChallenge() async throws {
      for scheme: HTTPLogin.Scheme in [.basic, .any] {
        let right = try await status("/basic-auth/flight/landing", scheme, times: 2)
        XCTAssertEqual(right, [200, 200])
        let wrong = try await status("/basic-auth/flight/landing", scheme, password: "wrong")
        XCTAssertEqual(wrong, [401])
      }
      // This one does not challenge: it hides.
      let hidden = try await status("/hidden-basic-auth/flight/landing", .basic)
      XCTAssertEqual(hidden, [200])
    }

    func testALoginByChallengeIsDigestWhereTheServerAsksForThat() async throws {
      let httpbin = try needing { try HTTPBinServer.shared() }
      for (path, expected) in [
        ("/digest-auth/auth/flight/landing/SHA-256", "Digest login"),
        ("/basic-auth/flight/landing", "Basic login"),
      ] {
        let asked = Asked()
        var configuration = TransportConfiguration.ephemeral
        configuration.challenges = ChallengeHandler { challenge in
          await asked.add(challenge.description)
          return .use(.login(HTTPLogin(user: "flight", password: "landing")))
        }
        let transport = try CurlTransport(configuration)
        for _ in 1...2 {
          let response = try await transport.send(HTTPRequest(url: try HTTPURL(httpbin.url(path))))
          XCTAssertEqual(response.status, 200, path)
        }
        let all = await asked.all
        XCTAssertEqual(all.count, 1)
        XCTAssertEqual(all.first?.hasPrefix(expected), true, "\(all)")
      }
    }

    func testAPasswordForDigestNeverTravelsAsBasic() async throws {
      let response = try await status("/basic-auth/flight/landing", .digest)
      XCTAssertEqual(response, [401])
    }
  }
#endif
