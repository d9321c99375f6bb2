import Foundation
import TestServers
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The servers themselves: they start, show what they should, and leave nothing behind.
final class TestServersTests: XCTestCase {
  func testNginxServesOnItsPlainSiteAndListensOnAllOthers() async throws {
    let nginx = try needing { try NginxServer.shared() }
    let ports = Set(NginxServer.Site.allCases.map { nginx.port($0) })
    XCTAssertEqual(ports.count, NginxServer.Site.allCases.count)
    let (body, status) = try await get(nginx.url("/status/404"))
    XCTAssertEqual(String(decoding: body, as: UTF8.self), #"{"status": 404}"#)
    XCTAssertEqual(status, 404)
    let (megabyte, _) = try await get(nginx.url("/files/megabyte.bin"))
    XCTAssertEqual(megabyte.count, 1_048_576)
    XCTAssertEqual(megabyte[1000], UInt8(1000 % 251))
  }

  func testHTTPBinEchoesAQuery() async throws {
    let httpbin = try needing { try HTTPBinServer.shared() }
    let (body, status) = try await get(httpbin.url("/get?city=Suzhou"))
    XCTAssertEqual(status, 200)
    let echo = try XCTUnwrap(JSONSerialization.jsonObject(with: body) as? [String: Any])
    XCTAssertEqual(echo["args"] as? [String: String], ["city": "Suzhou"])
  }

  func testAStoppedServerLeavesNeitherPortNorFolder() async throws {
    let nginx = try needing { try NginxServer() }
    let folder = nginx.files.deletingLastPathComponent().path
    XCTAssertTrue(FileManager.default.fileExists(atPath: folder))
    nginx.stop()
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder))
    do {
      _ = try await get(nginx.url("/echo"))
      XCTFail("the port still responds")
    } catch let error as URLError {
      XCTAssertEqual(error.code, .cannotConnectToHost)
    }
  }

  /// The kernel closes the pipe of a killed process just as the last reference does.
  func testAServerEndsWithItsLastReference() throws {
    var nginx: NginxServer? = try needing { try NginxServer() }
    let folder = try XCTUnwrap(nginx).files.deletingLastPathComponent().path
    nginx = nil
    let deadline = ContinuousClock.now + .seconds(10)
    while FileManager.default.fileExists(atPath: folder) {
      guard ContinuousClock.now < deadline else { return XCTFail("the server outlived its owner") }
      usleep(2_000)
    }
  }

  func testAServerThatRefusesItsConfigurationSaysWhy() throws {
    _ = try needing { try NginxServer.shared() }
    XCTAssertThrowsError(try NginxServer(locations: "fly away;")) { error in
      XCTAssertTrue("\(error)".contains("unknown directive \"fly\""), "\(error)")
    }
  }

  /// What OpenSSL itself says of each certificate, so that a TLS test can trust its own premise.
  func testEachCertificateHasTheFaultItIsNamedFor() throws {
    let certificates = try needing { try NginxServer.shared() }.certificates
    let verdicts: [CertificateMatrix.Server: String] = [
      .good: "OK", .expired: "certificate has expired", .notYetValid: "certificate is not yet valid",
      .wrongHost: "hostname mismatch", .selfSigned: "self-signed certificate",
      .unknownRoot: "unable to get local issuer certificate",
      // RFC 9525 says no to both; OpenSSL falls back to the common name.
      .commonNameOnly: "OK", .mailOnly: "OK", .wrongPurpose: "certificate purpose",
    ]
    for server in CertificateMatrix.Server.byNginx {
      let words = try openssl([
        "verify", "-CAfile", certificates.root.path, "-verify_hostname", "good.test", "-purpose", "sslserver",
        certificates.certificate(server).path,
      ])
      let verdict = try XCTUnwrap(verdicts[server])
      XCTAssertTrue(
        words.replacing("self signed", with: "self-signed").contains(verdict), "\(server): \(words)")
    }
    let names = try openssl([
      "x509", "-in", certificates.certificate(.commonNameOnly).path, "-noout", "-text",
    ])
    XCTAssertFalse(names.contains("Subject Alternative Name"))
    let mail = try openssl(["x509", "-in", certificates.certificate(.mailOnly).path, "-noout", "-text"])
    XCTAssertTrue(mail.contains("email:") && !mail.contains("DNS:"), mail)
    XCTAssertEqual(try certificates.publicKeyPin(.good).count, 44)
  }

  func testAClientArchiveOpensWithItsPasswordOnly() throws {
    let certificates = try needing { try NginxServer.shared() }.certificates
    let archive = ["pkcs12", "-in", certificates.archive(.friend).path, "-nokeys", "-passin"]
    XCTAssertTrue(try openssl(archive + ["pass:\(certificates.password)"]).contains("BEGIN CERTIFICATE"))
    XCTAssertTrue(try openssl(archive + ["pass:wrong"]).contains("invalid password"))
  }

  private func get(_ address: String) async throws -> (Data, Int) {
    let (body, response) = try await URLSession.shared.data(from: XCTUnwrap(URL(string: address)))
    return (body, try XCTUnwrap(response as? HTTPURLResponse).statusCode)
  }

  private func openssl(_ arguments: [String]) throws -> String {
    #if os(Linux) || os(macOS)
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let words = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: words, as: UTF8.self)
    #else
      throw XCTSkip("there are no child processes on this platform")
    #endif
  }
}
