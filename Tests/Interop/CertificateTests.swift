import APIKit
import Foundation
import TestServers
import XCTest

/// TLS against nginx: what is right is accepted, and each fault is refused for its own reason.
///
/// A transport that cannot be given a root of one's own is asked for what it must do all the same: refuse.
class CertificateTests: InteropCase {
  private func configuration(_ change: (inout TLSPolicy) -> Void = { _ in }) throws -> TransportConfiguration
  {
    var configuration = TransportConfiguration.ephemeral
    configuration.tls.trust = .bundle(path: try nginx().certificates.root.path)
    change(&configuration.tls)
    return configuration
  }

  private func trusting(_ change: (inout TLSPolicy) -> Void = { _ in }) throws -> any HTTPTransport {
    let plain = try transport.get()
    guard plain.capabilities.contains(.customTrust) else {
      throw XCTSkip("\(type(of: plain)) cannot be given a root of one's own on this system")
    }
    return try makeTransport(configuration(change))
  }

  func testARootOfOnesOwnIsHonouredOrRefusedAtConfiguration() throws {
    guard try !transport.get().capabilities.contains(.customTrust) else { return _ = try trusting() }
    XCTAssertThrowsError(try makeTransport(configuration())) { error in
      XCTAssertEqual((error as? APIError)?.reason, .unsupportedCapability)
    }
  }

  func testWithoutTheRootEveryCertificateIsRefused() async throws {
    let nginx = try nginx()
    for server in CertificateMatrix.Server.byNginx {
      let error = try await failure(.get, nginx.url("/echo", site: .tls(server), host: "localhost"))
      XCTAssertEqual(error.stage, .transport, "\(server): \(error)")
      XCTAssertNil(error.response, "\(server) was heard all the same")
    }
  }

  func testAGoodCertificateOfATrustedRootIsAccepted() async throws {
    let (nginx, transport) = (try nginx(), try trusting())
    for host in ["localhost", "127.0.0.1"] {
      let response = try await send(.get, nginx.url("/echo", site: .tls(.good), host: host), over: transport)
      XCTAssertEqual(response.status, 200, host)
    }
  }

  func testEachFaultIsRefusedForItsOwnReason() async throws {
    let (nginx, transport) = (try nginx(), try trusting())
    let reasons: [CertificateMatrix.Server: APIError.Reason] = [
      .expired: .certificateExpired, .notYetValid: .certificateNotYetValid,
      .wrongHost: .certificateHostMismatch,
      .selfSigned: .certificateSelfSigned, .unknownRoot: .certificateUntrusted,
      .wrongPurpose: .certificateUnsuitable,
      .commonNameOnly: .certificateHostMismatch, .mailOnly: .certificateHostMismatch,
    ]
    for (server, reason) in reasons {
      let address = nginx.url("/echo", site: .tls(server), host: "localhost")
      let error = try await failure(.get, address, over: transport)
      XCTAssertEqual(error.reason, reason, "\(server): \(error)")
    }
  }

  func testOldProtocolsAreRefusedAndNewOnesSpoken() async throws {
    let (nginx, transport) = (try nginx(), try trusting())
    let old = try await failure(
      .get, nginx.url("/echo", site: .onlyTLS11, host: "localhost"), over: transport)
    XCTAssertEqual(old.reason, .tlsVersionTooOld, old.description)
    for site in [NginxServer.Site.onlyTLS12, .onlyTLS13] {
      let response = try await send(.get, nginx.url("/echo", site: site, host: "localhost"), over: transport)
      XCTAssertEqual(response.status, 200, "\(site)")
    }
    let strict = try trusting { $0.minimumVersion = .tls1_3 }
    let refused = try await failure(
      .get, nginx.url("/echo", site: .onlyTLS12, host: "localhost"), over: strict)
    XCTAssertEqual(refused.reason, .tlsVersionTooOld, refused.description)
  }

  func testHTTP2IsSpokenWhereItIsOffered() async throws {
    let (nginx, transport) = (try nginx(), try trusting())
    guard transport.capabilities.contains(.http2) else {
      throw XCTSkip("the transport does not speak HTTP/2")
    }
    let response = try await send(.get, nginx.url("/echo", site: .http2, host: "localhost"), over: transport)
    XCTAssertEqual(response.version, .http2)
    XCTAssertEqual(response.headers["X-Protocol"], "HTTP/2.0")
  }

  func testAClientShowsItsCertificateInEitherForm() async throws {
    let nginx = try nginx()
    let certificates = nginx.certificates
    let address = nginx.url("/echo", site: .clientCertificate, host: "localhost")
    func identity(_ client: CertificateMatrix.Client) -> [ClientIdentity] {
      [
        .pem(
          certificate: .file(path: certificates.certificate(client).path),
          key: .file(path: certificates.key(client).path)),
        .pkcs12(.file(path: certificates.archive(client).path), password: certificates.password),
      ]
    }
    for identity in identity(.friend) {
      let response = try await send(.get, address, over: trusting { $0.identity = identity })
      XCTAssertTrue(try response.json["client"].string?.contains("friend") == true, "\(identity)")
    }
    // nginx says both in a 400 of its own when the handshake is over, or ends the handshake.
    for identity in [nil] + identity(.stranger).map(Optional.some) {
      do {
        let response = try await send(.get, address, over: trusting { $0.identity = identity })
        XCTAssertEqual(response.status, 400, "\(String(describing: identity))")
      } catch let error as APIError {
        XCTAssertEqual(
          error.reason, identity == nil ? .clientCertificateRequired : .clientCertificateRefused,
          error.description)
      }
    }
  }

  func testAClientCertificateIsNotShownToAnotherOrigin() async throws {
    let nginx = try nginx()
    let certificates = nginx.certificates
    let transport = try trusting {
      $0.identity = .pem(
        certificate: .file(path: certificates.certificate(.friend).path),
        key: .file(path: certificates.key(.friend).path))
    }
    let address = nginx.url("/echo", site: .clientCertificate, host: "localhost")
    // Before and after, over a connection that may be kept: the origin that is asked gets it.
    for _ in 1...2 {
      let direct = try await send(.get, address, over: transport)
      XCTAssertEqual(direct.status, 200)
      let moved = HTTPRequest(url: try HTTPURL(nginx.url("/redirect/client")))
      do {
        let response = try await HTTPClient(transport: transport).send(HTTPExchange(moved))
        XCTAssertEqual(response.url?.string, address)
        XCTAssertEqual(response.status, 400, "the certificate crossed")
      } catch {
        XCTAssertEqual(error.reason, .clientCertificateRequired, error.description)
      }
    }
  }

  func testAPinOfThePublicKeyDecides() async throws {
    let nginx = try nginx()
    let address = nginx.url("/echo", site: .tls(.good), host: "localhost")
    func pinning(_ server: CertificateMatrix.Server) throws -> any HTTPTransport {
      let pin = try PinSet.Pin(nginx.certificates.publicKeyPin(server))
      return try trusting { $0.pinning = .publicKey(PinSet([PinSet.Host("localhost", pins: [pin])])) }
    }
    guard try trusting().capabilities.contains(.pinning) else {
      XCTAssertThrowsError(try pinning(.good)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unsupportedCapability)
      }
      return
    }
    let right = try await send(.get, address, over: pinning(.good))
    XCTAssertEqual(right.status, 200)
    let wrong = try await failure(.get, address, over: pinning(.expired))
    XCTAssertEqual(wrong.reason, .pinMismatch, wrong.description)
  }
}
