#if os(Linux)
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Certificates that name an authority which has not signed them.
  final class CurlIssuerTests: XCTestCase {
    /// Another root of the name of that of the tests, as an authority has that was made anew.
    private static let root = """
      -----BEGIN CERTIFICATE-----
      MIIBRDCB7KADAgECAgEBMAoGCCqGSM49BAMCMCExHzAdBgNVBAMMFnJvb3Qgcm9v
      dCBvZiB0aGUgdGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjA5OTEyMzEwMDAwMDBa
      MCExHzAdBgNVBAMMFnJvb3Qgcm9vdCBvZiB0aGUgdGVzdHMwWTATBgcqhkjOPQIB
      BggqhkjOPQMBBwNCAATUr7+Sc9aHmsCifaqzrnBF7qdpeQWSfmi/n20NW4xbmlCr
      aVMbavL8eJ5+w3uajirdxqG1grzXDvj80zdrV5v+oxMwETAPBgNVHRMBAf8EBTAD
      AQH/MAoGCCqGSM49BAMCA0cAMEQCIGfRn8/YoTFoXidUIzbOVzXMK3Bqf6nWVncn
      5J58F0iZAiAOMEg//SOmRYgbO5NaWhVpb/HyNwuTtF9L76DOcwjgvQ==
      -----END CERTIFICATE-----
      """

    func testACertificateThatItsIssuerHasNotSignedIsNotTrusted() async throws {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration.standard
      configuration.tls.trust = .certificates(pem: Array(Self.root.utf8))
      let transport = try CurlTransport(configuration)
      let request = HTTPRequest(url: try HTTPURL(nginx.url("/echo", site: .tls(.good), host: "localhost")))
      let error = await failure { try await transport.send(request) }
      XCTAssertEqual(error?.reason, .certificateUntrusted, error?.description ?? "")
      XCTAssertEqual(error?.detail.contains("has not signed"), true, error?.detail ?? "")
    }
  }
#endif
