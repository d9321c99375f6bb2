import APIKit
import TestServers
import XCTest

/// Redirects are followed through ``HTTPClient``, and what belongs to one origin stays there.
class RedirectTests: InteropCase {
  func testRedirectsInARowAreFollowedAndRecorded() async throws {
    let httpbin = try httpbin()
    let response = try await follow(.get, httpbin.url("/redirect/3"))
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.url?.string, httpbin.url("/get"))
    XCTAssertEqual(response.redirects.count, 3)
    XCTAssertEqual(response.redirects.first?.url.string, httpbin.url("/redirect/3"))
    XCTAssertEqual(try response.json["url"].string, httpbin.url("/get"), "the server saw another address")
  }

  func testMoreRedirectsThanTheLimitFail() async throws {
    let url = try httpbin().url("/redirect/4")
    var policy = RedirectPolicy.follow
    policy.limit = 3
    do {
      let response = try await follow(.get, url, policy: policy)
      XCTFail("four redirects ended with \(response.status)")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .tooManyRedirects, error.description)
    }
  }

  func testPOSTBecomesGETWithoutItsBodyAfter301To303() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    for status in [301, 302, 303] {
      let response = try await follow(.post, redirect(httpbin, to: "/anything", status), change: addText)
      let echo = try response.json
      XCTAssertEqual(echo["method"].string, "GET", "\(status)")
      XCTAssertEqual(echo["data"].string, "", "\(status)")
      for name in ["Content-Type", "Content-Length", "Transfer-Encoding"] {
        // gunicorn hands an absent length on as an empty one.
        XCTAssertEqual(echo["headers"][name].string ?? "", "", "\(status) \(name)")
      }
      let other = try await follow(.post, nginx.url("/redirect/\(status)"), change: addText)
      XCTAssertEqual(try other.json["method"].string, "GET", "\(status)")
      XCTAssertEqual(try other.json["contentType"].string, "", "\(status)")
      XCTAssertEqual(try other.json["contentLength"].string, "", "\(status)")
    }
  }

  func test307And308KeepTheMethodAndTheBody() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    for status in [307, 308] {
      let response = try await follow(.post, nginx.url("/redirect/\(status)"), change: addText)
      XCTAssertEqual(try response.json["method"].string, "POST", "\(status)")
      XCTAssertEqual(try response.json["contentType"].string, "text/plain", "\(status)")
      XCTAssertEqual(try response.json["contentLength"].string, "8", "\(status)")
    }
    let response = try await follow(.put, redirect(httpbin, to: "/anything", 307), change: addText)
    XCTAssertEqual(try response.json["method"].string, "PUT")
    XCTAssertEqual(try response.json["data"].string, "take off")
    XCTAssertEqual(try response.json["headers"]["Content-Type"].string, "text/plain")
  }

  func testCredentialsStayWithinTheirOrigin() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    let other = try needing { try HTTPBinServer() }
    defer { other.stop() }
    let kept = try await follow(.get, redirect(httpbin, to: "/headers", 302), change: addCredentials)
    let fields = try kept.json["headers"]
    XCTAssertEqual(fields["Authorization"].string, "Bearer B12")
    XCTAssertEqual(fields["Cookie"].string, "gate=7")
    XCTAssertEqual(fields["X-Signature"].string, "sealed")

    for status in [302, 307] {
      let target = other.url("/headers")
      let crossed = try await follow(.get, redirect(httpbin, to: target, status), change: addCredentials)
      XCTAssertEqual(crossed.url?.string, target)
      let fields = try crossed.json["headers"]
      for name in ["Authorization", "Cookie", "X-Signature"] {
        XCTAssertNil(fields[name].string, "\(name) crossed with \(status)")
      }
      XCTAssertEqual(fields["Accept"].string, "text/plain", "what says nothing of the caller goes along")
    }
    let echo = try await follow(.get, redirect(httpbin, to: nginx.url("/echo"), 302), change: addCredentials)
    XCTAssertEqual(try echo.json["authorization"].string, "")
    XCTAssertEqual(try echo.json["cookie"].string, "")
  }

  func testALoginStaysWithinItsOrigin() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    guard try transport.get().capabilities.contains(.login) else { throw XCTSkip("no logins here") }
    let login: (inout HTTPRequest) -> Void = {
      $0.options.login = HTTPLogin(user: "flight", password: "landing", scheme: .basic)
    }
    let direct = try await follow(.get, nginx.url("/basic"), change: login)
    XCTAssertEqual(direct.status, 200)
    let crossed = try await follow(.get, redirect(httpbin, to: nginx.url("/basic"), 302), change: login)
    XCTAssertEqual(crossed.status, 401, "the login crossed")
  }

  func testTheSameOriginPolicyRefusesAnotherPort() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    let within = try await follow(.get, httpbin.url("/redirect/1"), policy: .sameOrigin)
    XCTAssertEqual(within.status, 200)
    do {
      _ = try await follow(.get, redirect(httpbin, to: nginx.url("/echo"), 302), policy: .sameOrigin)
      XCTFail("another port was taken for the same origin")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .redirectRefused, error.description)
    }
  }

  func testACookieSetByARedirectArrivesWithTheNextHop() async throws {
    let url = try httpbin().url("/cookies/set?gate=B12")
    let response = try await follow(.get, url, cookies: CookieJar())
    XCTAssertEqual(try response.json["cookies"]["gate"].string, "B12")
  }

  // MARK: Short verbs

  private func follow(
    _ method: HTTPMethod, _ url: String, policy: RedirectPolicy = .follow, cookies: CookieJar? = nil,
    change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(method: method, url: try HTTPURL(url))
    change(&request)
    let client = HTTPClient(transport: try transport.get(), redirects: policy, cookies: cookies)
    return try await client.send(HTTPExchange(request))
  }

  private func redirect(_ httpbin: HTTPBinServer, to target: String, _ status: Int) -> String {
    httpbin.url("/redirect-to?url=\(target)&status_code=\(status)")
  }

  private func addText(_ request: inout HTTPRequest) {
    request.headers["Content-Type"] = "text/plain"
    request.body = .bytes(Array("take off".utf8))
  }

  private func addCredentials(_ request: inout HTTPRequest) {
    request.headers["Authorization"] = "Bearer B12"
    request.headers["Cookie"] = "gate=7"
    request.headers["X-Signature"] = "sealed"
    request.headers["Accept"] = "text/plain"
  }
}
