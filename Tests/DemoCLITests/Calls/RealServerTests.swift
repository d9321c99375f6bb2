import APIKit
import Foundation
import TestServers
@testable import TestSupport
import XCTest

@testable import DemoCLI

/// The calls against servers of others: httpbin says what it has received, nginx has redirects, TLS and limits.
@MainActor
final class RealServerTests: XCTestCase {
  /// A server that the machine may lack: then the test is skipped, except in CI.
  private func needing<Server>(_ make: () throws -> Server) throws -> Server {
    do { return try make() } catch let error as TestServerError {
      if ProcessInfo.processInfo.environment["CI"] == "true" { throw error }
      throw XCTSkip("\(error)")
    }
  }

  func testHTTPBinHasReceivedWhatTheItemsSay() async throws {
    let httpbin = try needing { try HTTPBinServer.shared() }
    let file = temporaryFolder().appendingPathComponent("new.txt")
    try Data("in the file".utf8).write(to: file)
    let json = await CommandLineRun([
      "post", httpbin.url("/anything?a=1"), "b==2", "name=Ann", "age:=41", "X-Trace:7", "-H", "X-More: 8",
      "--json",
    ])
    XCTAssertEqual(json.status, .success, json.errors.joined())
    let received = try RawData(parsing: json.output.joined()).body
    XCTAssertEqual(received.json, try RawData(parsing: #"{"name":"Ann","age":41}"#))
    XCTAssertEqual(received.args, try RawData(parsing: #"{"a":"1","b":"2"}"#))
    XCTAssertEqual(received.headers["X-Trace"].string, "7")
    XCTAssertEqual(received.headers["X-More"].string, "8")
    XCTAssertEqual(received.headers["Content-Type"].string, "application/json")

    let form = await CommandLineRun(["put", httpbin.url("/anything"), "a=b c", "f@\(file.path)", "--json"])
    let parts = try RawData(parsing: form.output.joined()).body
    XCTAssertEqual(parts.files.f.string, "in the file")
    XCTAssertEqual(parts.form.a.string, "b c")
    let plain = await CommandLineRun(["patch", httpbin.url("/anything"), "--form", "a=b c", "--json"])
    XCTAssertEqual(try RawData(parsing: plain.output.joined()).body.form.a.string, "b c")
  }

  func testLoginsOfEveryKindAreAccepted() async throws {
    let httpbin = try needing { try HTTPBinServer.shared() }
    for (path, type) in [("/basic-auth/ann/pw", "basic"), ("/digest-auth/auth/ann/pw", "digest")] {
      let run = await CommandLineRun(["get", httpbin.url(path), "-a", "ann:pw", "--auth-type", type])
      XCTAssertEqual(run.status, .success, run.errors.joined())
      let wrong = await CommandLineRun(["get", httpbin.url(path), "-a", "ann:no", "--auth-type", type])
      XCTAssertEqual(wrong.status, .failed)
      XCTAssertEqual(wrong.errors.last, "You need to sign in.")
    }
    let bearer = await CommandLineRun(["get", httpbin.url("/bearer"), "-a", "token", "--auth-type", "bearer"])
    XCTAssertEqual(bearer.status, .success, bearer.errors.joined())
  }

  func testBodiesOfOtherKindsAreHandled() async throws {
    let httpbin = try needing { try HTTPBinServer.shared() }
    let gzip = await CommandLineRun(["get", httpbin.url("/gzip")])
    XCTAssertEqual(try RawData(parsing: gzip.written).gzipped.bool, true)
    let image = await CommandLineRun(["get", httpbin.url("/image/png")], isTerminal: true)
    XCTAssertEqual(image.written, [])
    XCTAssertTrue(image.errors[0].contains("no text"))
    let stream = await CommandLineRun(["get", httpbin.url("/stream/3")])
    XCTAssertEqual(stream.text.split(separator: "\n").count, 3)
    let slow = await CommandLineRun(["get", httpbin.url("/delay/10"), "--timeout", "1"])
    XCTAssertEqual(slow.status, .failed)
    XCTAssertTrue(slow.errors.joined().contains("1 s"), slow.errors.joined())
  }

  func testNginxRedirectsRefusesAndResumes() async throws {
    let nginx = try needing { try NginxServer.shared() }
    let loop = await CommandLineRun(["get", nginx.url("/redirect/loop")])
    XCTAssertEqual(loop.status, .failed)
    let followed = await CommandLineRun(["get", nginx.url("/redirect/301"), "--explain"])
    XCTAssertEqual(followed.status, .success, followed.errors.joined())
    XCTAssertTrue(followed.errors.joined().contains("status 301"), followed.errors.joined())
    let large = await CommandLineRun([
      "post", nginx.url("/small"), "a=\(String(repeating: "x", count: 2000))",
    ])
    XCTAssertEqual(large.status, .failed)
    XCTAssertEqual(large.errors.last, "What you sent is too large.")
    let untrusted = await CommandLineRun(["get", nginx.url("/echo", site: .http2, host: "localhost")])
    XCTAssertEqual(untrusted.status, .failed)
    XCTAssertTrue(untrusted.errors.joined().contains("certificate"), untrusted.errors.joined())
  }
}
