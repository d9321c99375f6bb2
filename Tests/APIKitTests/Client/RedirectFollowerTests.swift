import XCTest

@testable import APIKit

final class RedirectFollowerTests: XCTestCase {
  private func follow(
    _ status: Int, _ location: String, _ request: HTTPRequest, policy: RedirectPolicy = .follow
  ) throws(APIError) -> HTTPRequest? {
    var follower = RedirectFollower(policy: policy)
    let redirect = HTTPResponse(status: status, headers: ["Location": location])
    return try follower.next(after: redirect, to: request, cookie: nil)
  }

  private func reason(_ work: () throws -> HTTPRequest?, line: UInt = #line) -> APIError.Reason? {
    do {
      let next = try work()
      XCTFail("it did not fail but gave \(next as Any)", line: line)
      return nil
    } catch {
      return (error as? APIError)?.reason
    }
  }

  private let post = HTTPRequest(
    method: .post, url: "https://a.test/x",
    headers: ["Content-Type": "text/plain", "Accept": "*/*", "Authorization": "Bearer t", "X-Sign": "s"],
    body: .bytes([1, 2]))

  func testMethodsChangeAsTheStandardSays() throws {
    let expected: [(Int, HTTPMethod, HTTPMethod)] = [
      (301, .post, .get), (302, .post, .get), (303, .post, .get), (307, .post, .post), (308, .post, .post),
      (301, .put, .put), (302, .delete, .delete), (303, .put, .get), (303, .head, .head), (302, .head, .head),
      (308, .patch, .patch),
    ]
    for (status, method, result) in expected {
      var request = post
      request.method = method
      let next = try XCTUnwrap(follow(status, "/y", request))
      XCTAssertEqual(next.method, result, "\(status) \(method)")
      let keepsBody = method == result && !(status == 303 && method == .post)
      XCTAssertEqual(next.body.isEmpty, !keepsBody, "\(status) \(method)")
      XCTAssertEqual(next.headers.contains("Content-Type"), keepsBody, "\(status) \(method)")
      XCTAssertEqual(next.headers["Accept"], "*/*")
    }
  }

  func testWhatDescribesABodyGoesWithIt() throws {
    var request = post
    let digests: HTTPHeaders = [
      "Content-Digest": "sha-256=:a:", "Repr-Digest": "sha-256=:a:", "Content-Range": "bytes 0-1/2",
      "Content-Disposition": "attachment", "Want-Repr-Digest": "sha-256=1",
    ]
    request.headers.merge(digests)
    request.headers["Expect"] = "100-continue"
    let get = try XCTUnwrap(follow(303, "/y", request))
    XCTAssertEqual(get.headers.map(\.name), ["Accept", "Authorization", "X-Sign", "Want-Repr-Digest"])
    let outside = try XCTUnwrap(follow(307, "https://b.test/y", request))
    XCTAssertEqual(
      outside.headers.map(\.name).sorted(),
      ["Accept", "Content-Digest", "Content-Disposition", "Content-Range", "Content-Type", "Repr-Digest"])
  }

  func testTheSpellingOfAnAddressMakesNoOtherOrigin() throws {
    var request = post
    request.url = "https://127.0.0.1/x"
    for location in ["https://127.1/y", "https://0x7f000001/y", "//2130706433/y", "https://127.0.0.1.:443/y"]
    {
      let next = try XCTUnwrap(follow(307, location, request))
      XCTAssertEqual(next.headers["Authorization"], "Bearer t", location)
      XCTAssertEqual(next.url.host, "127.0.0.1")
    }
    XCTAssertEqual(reason { try follow(307, "https://127.0.0.256/", request) }, .redirectRefused)
  }

  func testCredentialsStayWithinTheOrigin() throws {
    var request = post
    request.headers.add("Cookie", "a=b")
    request.headers.add("Proxy-Authorization", "Basic x")
    request.headers.merge([
      "X-Api-Key": "k", "Accept-Language": "de", "user-agent": "a", "Range": "bytes=0-1", "If-Range": "\"a\"",
      "Last-Event-ID": "7",
    ])
    request.options.login = HTTPLogin(user: "u", password: "p")
    let inside = try XCTUnwrap(
      follow(307, "https://A.test:443/y", request))
    XCTAssertEqual(inside.headers.count, request.headers.count)
    XCTAssertNotNil(inside.options.login)

    for other in ["https://b.test/y", "https://a.test:8443/y", "https://sub.a.test/"] {
      let outside = try XCTUnwrap(follow(307, other, request))
      XCTAssertEqual(
        outside.headers.map(\.name),
        ["Content-Type", "Accept", "Accept-Language", "user-agent", "Range", "If-Range", "Last-Event-ID"],
        other)
      XCTAssertNil(outside.options.login, other)
    }
  }

  func testFieldsThatAreNamedPublicCrossOrigins() throws {
    var policy = RedirectPolicy.follow
    policy.publicHeaders.insert("x-sign")
    let next = try XCTUnwrap(follow(302, "https://b.test/", post, policy: policy))
    XCTAssertEqual(
      next.headers.map(\.name), ["Accept", "X-Sign"], "the body is gone, and its fields with it")
  }

  func testAClosureThatChoosesAnotherOriginTakesNothingOfThePreviousOneThere() throws {
    let rewriting = RedirectPolicy.rewriting { proposed, _ throws(APIError) in
      var next = proposed
      next.url = "https://b.test/y"
      next.headers["X-Own"] = "for b"
      return next
    }
    let next = try XCTUnwrap(follow(307, "/y", post, policy: rewriting))
    XCTAssertEqual(next.headers.map(\.name), ["Content-Type", "Accept", "X-Own"])
  }

  func testADowngradeIsRefusedUnlessAllowed() throws {
    XCTAssertEqual(reason { try follow(302, "http://a.test/y", post) }, .redirectRefused)
    var lax = RedirectPolicy.follow
    lax.allowsDowngrade = true
    let next = try XCTUnwrap(follow(302, "http://a.test/y", post, policy: lax))
    XCTAssertNil(next.headers["Authorization"], "http is another origin")
  }

  func testTheSameOriginPolicyRefusesOthers() throws {
    XCTAssertNotNil(try follow(302, "/y", post, policy: .sameOrigin))
    XCTAssertEqual(reason { try follow(302, "https://b.test/", post, policy: .sameOrigin) }, .redirectRefused)
  }

  func testUnusableTargetsAreRefused() {
    for location in [
      "file:///etc/passwd", "javascript:alert(1)", "https://u:p@b.test/", "http://[::1", "data:,x",
    ] {
      XCTAssertEqual(reason { try follow(302, location, post) }, .redirectRefused, location)
    }
  }

  func testABodyThatCannotBeSentAgainIsRefused() throws {
    var request = post
    request.body = .stream(HTTPBodyStream { { nil } })
    XCTAssertEqual(reason { try follow(307, "/y", request) }, .redirectRefused)
    XCTAssertEqual(try follow(303, "/y", request)?.method, .get, "a GET needs no body")
    request.body = .stream(HTTPBodyStream(isReplayable: true) { { nil } })
    XCTAssertEqual(try follow(307, "/y", request)?.method, .post)
  }

  func testTheLimitAndLoopsEndARedirectChain() throws {
    var policy = RedirectPolicy.follow
    policy.limit = 3
    var follower = RedirectFollower(policy: policy)
    var request = HTTPRequest(url: "https://a.test/0")
    for step in 1...3 {
      let redirect = HTTPResponse(status: 302, headers: ["Location": "/\(step)"])
      guard let next = try follower.next(after: redirect, to: request, cookie: nil) else {
        return XCTFail("step \(step) did not follow")
      }
      request = next
    }
    XCTAssertEqual(follower.history.map(\.url.path), ["/0", "/1", "/2"])
    let fourth = HTTPResponse(status: 302, headers: ["Location": "/4"])
    XCTAssertEqual(
      reason {
        _ = try follower.next(after: fourth, to: request, cookie: nil)
        return nil
      }, .tooManyRedirects)

    follower = RedirectFollower(policy: .follow)
    let toItself = HTTPResponse(status: 302, headers: ["Location": "/0"])
    let start = HTTPRequest(url: "https://a.test/0")
    _ = try follower.next(after: toItself, to: start, cookie: nil)
    _ = try follower.next(after: toItself, to: start, cookie: "session=1")
    XCTAssertEqual(
      reason {
        _ = try follower.next(after: toItself, to: start, cookie: "session=1")
        return nil
      }, .redirectLoop, "only the same request with the same cookies is a loop")
  }

  func testAClosureRewritesOrLands() throws {
    let rewriting = RedirectPolicy.rewriting { proposed, redirect throws(APIError) in
      guard redirect.status != 303 else { return nil }
      var next = proposed
      next.headers["X-Hop"] = "1"
      return next
    }
    XCTAssertEqual(try follow(302, "/y", post, policy: rewriting)?.headers["X-Hop"], "1")
    XCTAssertNil(try follow(303, "/y", post, policy: rewriting))
  }

  func testAClosureIsAskedWhereTheBodyOpensOnlyOnce() throws {
    var once = post
    once.body = .stream(HTTPBodyStream { { nil } })
    let lands = RedirectPolicy.rewriting { _, _ in nil }
    XCTAssertNil(try follow(307, "/y", once, policy: lands))
    let replaces = RedirectPolicy.rewriting { proposed, _ throws(APIError) in
      var next = proposed
      next.body = .bytes([1])
      return next
    }
    XCTAssertEqual(try follow(307, "/y", once, policy: replaces)?.body.isReplayable, true)
    let keeps = RedirectPolicy.rewriting { proposed, _ in proposed }
    XCTAssertEqual(reason { try follow(307, "/y", once, policy: keeps) }, .redirectRefused)
  }
}
