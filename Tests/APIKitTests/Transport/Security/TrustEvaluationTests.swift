#if os(Linux) || os(macOS)  // elsewhere there is no openssl command
  import Foundation
  import TestServers
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// Trust on its own, and pins made of certificates, with certificates that openssl makes.
  final class TrustEvaluationTests: XCTestCase {
    private lazy var certificates = Result { try CertificateMatrix(in: temporaryFolder()) }

    private func matrix() throws -> CertificateMatrix {
      do { return try certificates.get() } catch let error as TestServerError {
        throw missingTool(error.description)
      }
    }

    private func pem(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

    private func der(_ file: URL) throws -> [UInt8] {
      try XCTUnwrap(Certificate.blocks(ofPEM: try pem(file)).first)
    }

    private func reason(
      _ server: CertificateMatrix.Server, host: String = "good.test", at moment: Date? = nil,
      _ change: (inout TLSPolicy) throws -> Void = { _ in }
    ) throws -> APIError.Reason? {
      var policy = TLSPolicy()
      policy.trust = .bundle(path: try matrix().root.path)
      try change(&policy)
      let evaluation = try TrustEvaluation(policy)
      let chain = [try der(try matrix().certificate(server))]
      do throws(APIError) {
        // Read after the certificates were made, which begin at that second.
        try evaluation.evaluate(chain: chain, host: host, at: moment ?? Date())
        return nil
      } catch { return error.reason }
    }

    func testAChainIsEvaluatedWithoutAConnection() throws {
      XCTAssertNil(try reason(.good))
      XCTAssertNil(try reason(.good, host: "127.0.0.1"))
      XCTAssertEqual(try reason(.good, host: "other.test"), .certificateHostMismatch)
      XCTAssertEqual(try reason(.good) { $0.trust = .system }, .certificateUntrusted)
      let rows: [(CertificateMatrix.Server, APIError.Reason)] = [
        (.expired, .certificateExpired), (.notYetValid, .certificateNotYetValid),
        (.selfSigned, .certificateSelfSigned), (.unknownRoot, .certificateUntrusted),
        (.wrongHost, .certificateHostMismatch), (.commonNameOnly, .certificateHostMismatch),
      ]
      for (server, expected) in rows { XCTAssertEqual(try reason(server), expected, "\(server)") }
      XCTAssertEqual(
        try reason(.good, at: Date(timeIntervalSince1970: 4_200_000_000)), .certificateExpired)
      XCTAssertThrowsError(try TrustEvaluation(TLSPolicy()).evaluate(chain: [[1]], host: "good.test"))
      XCTAssertThrowsError(try TrustEvaluation(TLSPolicy()).evaluate(chain: [], host: "good.test"))
    }

    #if os(Linux)  // on macOS the system has no words for them
      func testPurposeAndStrengthOfAChainAreToldApart() throws {
        XCTAssertEqual(try reason(.wrongPurpose), .certificateUnsuitable)
        XCTAssertEqual(try reason(.weakKey), .certificateTooWeak)
      }

      func testAuthoritiesMayBeAddedToThoseOfTheSystem() throws {
        let root = try matrix().root.path
        XCTAssertNil(try reason(.good) { $0.trust = .systemAnd(.bundle(path: root)) })
        XCTAssertEqual(
          try reason(.unknownRoot) { $0.trust = .systemAnd(.bundle(path: root)) }, .certificateUntrusted)
        let bundle = "/etc/ssl/certs/ca-certificates.crt"
        guard let data = FileManager.default.contents(atPath: bundle),
          let known = Certificate.blocks(ofPEM: [UInt8](data)).first
        else { throw XCTSkip("the system has no authorities at \(bundle)") }
        func fault(_ trust: TLSPolicy.Trust) throws -> APIError.Reason? {
          var policy = TLSPolicy()
          policy.trust = trust
          let evaluation = try TrustEvaluation(policy)
          do throws(APIError) { try evaluation.evaluate(chain: [known], host: "good.test") } catch {
            return error.reason
          }
          return nil
        }
        XCTAssertEqual(try fault(.bundle(path: root)), .certificateSelfSigned)
        // Trusted, though it is no server's certificate.
        let trusted: [APIError.Reason] = [.certificateUnsuitable, .certificateHostMismatch]
        XCTAssertTrue(trusted.contains(try XCTUnwrap(try fault(.systemAnd(.bundle(path: root))))))
      }
    #endif

    func testATrustStoreThatCannotBeReadIsAnErrorOfItsOwn() {
      for trust: TLSPolicy.Trust in [
        .bundle(path: "/no/such/file"), .systemAnd(.bundle(path: "/no/such/file")),
        .systemAnd(.certificates(pem: Array("-----BEGIN NOTHING-----".utf8))),
      ] {
        assertFails(.trustStoreUnreadable) {
          var policy = TLSPolicy()
          policy.trust = trust
          _ = try TrustEvaluation(policy)
        }
      }
      assertFails(.misconfigured, "PEM") {
        var policy = TLSPolicy()
        policy.trust = .systemAnd(.certificates(pem: [1]))
        try policy.validate()
      }
    }

    func testPinsAreMadeOfCertificatesInEitherForm() throws {
      let file = try matrix().certificate(.good)
      let (bytes, der) = (try pem(file), try der(file))
      XCTAssertEqual(try PinSet.Pin(certificate: bytes).digest, Crypto.sha256(der))
      XCTAssertEqual(try PinSet.Pin(certificate: der), try PinSet.Pin(certificate: bytes))
      XCTAssertEqual(
        try PinSet.Pin(publicKeyOf: bytes), try PinSet.Pin(try matrix().publicKeyPin(.good)))
      XCTAssertEqual(try PinSet.Pin(publicKeyOf: der), try PinSet.Pin(publicKeyOf: bytes))
      assertFails(.misconfigured, "no certificate") { _ = try PinSet.Pin(certificate: [1, 2, 3]) }
      assertFails(.misconfigured, "no certificate") { _ = try PinSet.Pin(publicKeyOf: []) }
    }

    func testAllCertificatesOfAFileOrAFolderArePinsAndOneMatchIsEnough() throws {
      let matrix = try matrix()
      let folder = matrix.folder.appendingPathComponent("pins")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let both =
        try pem(matrix.certificate(.good)) + pem(matrix.certificate(CertificateMatrix.Server.expired))
      try Data(both).write(to: folder.appendingPathComponent("two.pem"))
      try Data(try der(matrix.certificate(.selfSigned))).write(
        to: folder.appendingPathComponent("one.CER"))
      try Data("no certificate".utf8).write(to: folder.appendingPathComponent("read.me"))
      let servers: [CertificateMatrix.Server] = [.selfSigned, .good, .expired]
      let keys = try servers.map { try PinSet.Pin(try matrix.publicKeyPin($0)) }
      XCTAssertEqual(try PinSet.Pin.publicKeys(at: folder.path), keys)
      XCTAssertEqual(try PinSet.Pin.publicKeys(at: folder.path + "/two.pem"), Array(keys.dropFirst()))
      let whole = try PinSet.Pin.certificates(at: folder.path)
      XCTAssertEqual(whole, try servers.map { try PinSet.Pin(certificate: pem(matrix.certificate($0))) })
      for server in servers.dropFirst() {
        XCTAssertNil(
          try reason(server) {
            $0.pinning = .certificate(PinSet([.init("good.test", pins: whole, replacesChain: true)]))
          })
      }
      let bundle = try XCTUnwrap(Bundle(path: folder.path))
      XCTAssertEqual(try PinSet.Pin.publicKeys(in: bundle).count, 3)
      XCTAssertEqual(try PinSet.Pin.certificates(in: bundle).count, 3)
      try Data("no certificate".utf8).write(to: folder.appendingPathComponent("bad.crt"))
      assertFails(.misconfigured, "bad.crt") { _ = try PinSet.Pin.certificates(at: folder.path) }
      assertFails(.misconfigured, "no certificates to pin") { _ = try PinSet.Pin.publicKeys(at: "/no/such") }
    }
  }
#endif
