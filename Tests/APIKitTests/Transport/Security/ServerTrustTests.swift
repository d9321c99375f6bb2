#if os(Linux) || os(macOS)  // elsewhere there is no openssl command
  import Foundation
  import TestServers
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// The decision about a server's certificates, with certificates that openssl makes.
  final class ServerTrustTests: XCTestCase {
    private lazy var certificates = Result { try CertificateMatrix(in: temporaryFolder()) }

    private func matrix() throws -> CertificateMatrix {
      do { return try certificates.get() } catch let error as TestServerError {
        throw missingTool(error.description)
      }
    }

    private func der(_ file: URL) throws -> [UInt8] {
      let pem = [UInt8](try Data(contentsOf: file))
      let found = Certificate.blocks(ofPEM: Array("in words first\n".utf8) + pem + pem)
      XCTAssertEqual(found.count, 2)
      XCTAssertEqual(Certificate.blocks(ofPEM: pem), Array(found.prefix(1)))
      return try XCTUnwrap(found.first)
    }

    private func chain(_ server: CertificateMatrix.Server) throws -> [[UInt8]] {
      let matrix = try matrix()
      let own = try der(matrix.certificate(server))
      return server == .selfSigned ? [own] : [own, try der(matrix.root)]
    }

    /// The reason why a server is refused; nil when it is trusted.
    private func reason(
      _ server: CertificateMatrix.Server, isTrusted: Bool, host: String = "good.test",
      _ change: (inout TLSPolicy) -> Void = { _ in }
    ) throws -> APIError.Reason? {
      var policy = TLSPolicy()
      change(&policy)
      let chain = try chain(server)
      do throws(APIError) {
        try ServerTrust(policy: policy).check(
          chain, fault: isTrusted ? nil : ServerTrust.fault(of: chain), host: host)
        return nil
      } catch { return error.reason }
    }

    func testATrustedServerIsAcceptedForItsNamesOnly() throws {
      for host in ["good.test", "GOOD.test.", "localhost", "127.0.0.1"] {
        XCTAssertNil(try reason(.good, isTrusted: true, host: host), host)
      }
      for host in ["other.test", "a.good.test", "127.0.0.2", "[::1]"] {
        XCTAssertEqual(try reason(.good, isTrusted: true, host: host), .certificateHostMismatch, host)
      }
      for server in [CertificateMatrix.Server.wrongHost, .commonNameOnly, .mailOnly] {
        XCTAssertEqual(try reason(server, isTrusted: true), .certificateHostMismatch)
        XCTAssertNil(try reason(server, isTrusted: true) { $0.skipsHostValidation = true })
      }
    }

    func testEachFaultHasTheReasonThatItHasOverCurl() throws {
      let rows: [(CertificateMatrix.Server, APIError.Reason)] = [
        (.expired, .certificateExpired), (.notYetValid, .certificateNotYetValid),
        (.selfSigned, .certificateSelfSigned), (.unknownRoot, .certificateUntrusted),
      ]
      for (server, expected) in rows {
        XCTAssertEqual(try reason(server, isTrusted: false), expected)
        XCTAssertNil(try reason(server, isTrusted: false) { $0.allowsInvalidCertificates = true })
        XCTAssertEqual(
          try reason(server, isTrusted: false, host: "other.test") { $0.allowsInvalidCertificates = true },
          .certificateHostMismatch, "the name is checked all the same")
      }
    }

    func testWhatASystemHasRefusedByItselfIsNamedByItsCertificates() throws {
      func reason(_ server: CertificateMatrix.Server, _ host: String = "good.test") throws -> APIError.Reason?
      {
        ServerTrust.fault(of: try chain(server), host: host)?.reason
      }
      XCTAssertEqual(try reason(.expired), .certificateExpired)
      XCTAssertEqual(try reason(.notYetValid), .certificateNotYetValid)
      XCTAssertEqual(try reason(.selfSigned, "other.test"), .certificateSelfSigned, "the chain goes first")
      XCTAssertEqual(try reason(.wrongHost), .certificateHostMismatch)
      XCTAssertNil(try reason(.unknownRoot), "its certificates show no fault")
      XCTAssertNil(ServerTrust.fault(of: [], host: "good.test"))
    }

    func testWhatIsNoCertificateIsRefused() throws {
      let good = try chain(.good)[0]
      for bytes in [[], [0x30], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], Array(good.dropLast(good.count - 60))] {
        XCTAssertNil(Certificate(der: bytes))
      }
      for end in stride(from: 0, to: good.count, by: 7) {
        XCTAssertNil(Certificate(der: Array(good[..<end])))
      }
      XCTAssertThrowsError(try ServerTrust(policy: TLSPolicy()).check([], fault: nil, host: "good.test"))
    }

    func testPinsOfKeysAndCertificatesMatchTheChainThatIsProved() throws {
      let matrix = try matrix()
      let chain = try chain(.good)
      let key = try PinSet.Pin(try matrix.publicKeyPin(.good))
      let whole = try PinSet.Pin(digest: Crypto.sha256(chain[0]))
      let root = try PinSet.Pin(digest: Crypto.sha256(chain[1]))
      func pins(_ pin: PinSet.Pin) -> PinSet { PinSet([PinSet.Host("good.test", pins: [pin])]) }
      XCTAssertNil(try reason(.good, isTrusted: true) { $0.pinning = .publicKey(pins(key)) })
      XCTAssertNil(try reason(.good, isTrusted: true) { $0.pinning = .certificate(pins(whole)) })
      XCTAssertNil(try reason(.good, isTrusted: true) { $0.pinning = .certificate(pins(root)) })
      XCTAssertEqual(
        try reason(.good, isTrusted: true) { $0.pinning = .publicKey(pins(whole)) }, .pinMismatch)
      XCTAssertNil(
        try reason(.good, isTrusted: true, host: "localhost") { $0.pinning = .publicKey(pins(whole)) },
        "a host without an entry is not pinned")
      // Without a verified chain anyone may append the pinned root.
      XCTAssertEqual(
        try reason(.good, isTrusted: false) {
          $0.pinning = .certificate(pins(root))
          $0.allowsInvalidCertificates = true
        }, .pinMismatch)
    }

    func testPinsThatReplaceAChainDoSoForTheirHostAndTheirCertificateOnly() throws {
      let key = try PinSet.Pin(try matrix().publicKeyPin(.selfSigned))
      let root = try PinSet.Pin(publicKeyOf: try der(try matrix().root))
      func replacing(_ pin: PinSet.Pin, expires: Date? = nil) -> (inout TLSPolicy) -> Void {
        {
          let entry = PinSet.Host("good.test", pins: [pin], expires: expires, replacesChain: true)
          $0.pinning = .publicKey(PinSet([entry]))
        }
      }
      XCTAssertNil(try reason(.selfSigned, isTrusted: false, replacing(key)))
      XCTAssertEqual(
        try reason(.selfSigned, isTrusted: false, host: "localhost", replacing(key)), .certificateSelfSigned,
        "other hosts are verified")
      XCTAssertEqual(
        try reason(.selfSigned, isTrusted: false, replacing(key, expires: Date(timeIntervalSinceNow: -1))),
        .certificateSelfSigned, "pins that have expired replace nothing")
      XCTAssertEqual(try reason(.expired, isTrusted: false, replacing(key)), .pinMismatch)
      XCTAssertEqual(
        try reason(.expired, isTrusted: false, replacing(root)), .pinMismatch, "anyone may append the root")
      let wrong = try PinSet.Pin(try matrix().publicKeyPin(.wrongHost))
      XCTAssertEqual(
        try reason(.wrongHost, isTrusted: false, replacing(wrong)), .certificateHostMismatch,
        "the name is checked all the same")
      assertFails(.misconfigured, "replace the chain") {
        var policy = TLSPolicy()
        let entry = PinSet.Host("good.test", pins: [key], replacesChain: true)
        policy.pinning = .publicKey(PinSet([entry], isReportOnly: true))
        try policy.validate()
      }
    }

    func testPinsExpireAndMayBeReportedOnly() throws {
      let wrong = try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
      let reports = Mutex<[PinMismatch]>([])
      let old = PinSet([PinSet.Host("good.test", pins: [wrong], expires: Date(timeIntervalSinceNow: -1))])
      XCTAssertNil(try reason(.good, isTrusted: true) { $0.pinning = .publicKey(old) })
      let trial = PinSet([PinSet.Host("good.test", pins: [wrong])], isReportOnly: true) { mismatch in
        reports.withLock { $0.append(mismatch) }
      }
      XCTAssertNil(try reason(.good, isTrusted: true) { $0.pinning = .publicKey(trial) })
      let report = try XCTUnwrap(reports.withLock { $0 }.first)
      XCTAssertEqual(report.shown.first?.description, "sha256/" + (try matrix().publicKeyPin(.good)))
      XCTAssertEqual(report.shown.count, 2)
      XCTAssertFalse(report.isEnforced)
    }

    func testTheKeyOfEachKindIsFoundAsOpenSSLFindsIt() throws {
      let folder = try matrix().folder
      func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, arguments)
      }
      for (name, key) in [
        ("rsa", "rsa:2048"), ("p256", "ec -pkeyopt ec_paramgen_curve:P-256"),
        ("p384", "ec -pkeyopt ec_paramgen_curve:P-384"),
      ] {
        try openssl(
          "req -x509 -newkey \(key) -nodes -keyout \(name).key -out \(name).pem -days 40000 -subj /CN=x"
            + " -addext subjectAltName=DNS:*.kind.test,IP:2001:db8::1,DNS:*.test")
        try openssl("x509 -in \(name).pem -noout -pubkey -out \(name).pub")
        try openssl("pkey -pubin -in \(name).pub -outform DER -out \(name).der")
        let certificate = try XCTUnwrap(
          Certificate(der: try der(folder.appendingPathComponent("\(name).pem"))))
        XCTAssertEqual(
          certificate.publicKeyInfo,
          [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(name).der"))))
        XCTAssertTrue(certificate.isSelfIssued)
        // The end lies after 2050, so it is a GeneralizedTime, and the beginning a UTCTime.
        XCTAssertEqual(certificate.validFrom, Date().timeIntervalSince1970, accuracy: 600)
        XCTAssertEqual(certificate.validUntil - certificate.validFrom, 40_000 * 86_400, accuracy: 1)
        XCTAssertTrue(certificate.isFor("a.kind.test"))
        XCTAssertTrue(certificate.isFor("[2001:db8::1]"))
        // The sign for kelvins, which is k in lower case, is no letter of a name.
        var bytes = try der(folder.appendingPathComponent("\(name).pem"))
        let place = try XCTUnwrap(bytes.firstRange(of: "kind.test".utf8))
        bytes.replaceSubrange(place, with: "\u{212A}.tests".utf8)
        let odd = try XCTUnwrap(Certificate(der: bytes))
        XCTAssertFalse(odd.isFor("a.k.tests"))
        for host in ["kind.test", "a.b.kind.test", "kind.tests", "b.test", "[2001:db8::2]"] {
          XCTAssertFalse(certificate.isFor(host), host)
        }
      }
    }
  }
#endif
