#if os(Linux)
  import APIKit
  import XCTest

  // Each class needs a test of its own: the test builder passes by a class that only inherits some.

  /// ``EchoTests`` over libcurl.
  final class EchoOverCurlTests: EchoTests {
    override func makeTransport(_ configuration: TransportConfiguration) throws -> any HTTPTransport {
      try CurlTransport(configuration)
    }

    func testTheTransportIsLibcurl() throws {
      XCTAssertTrue(try transport.get() is CurlTransport)
    }
  }

  /// ``AnswerTests`` over libcurl.
  final class AnswerOverCurlTests: AnswerTests {
    override func makeTransport(_ configuration: TransportConfiguration) throws -> any HTTPTransport {
      try CurlTransport(configuration)
    }

    func testTheTransportIsLibcurl() throws {
      XCTAssertTrue(try transport.get() is CurlTransport)
    }
  }

  /// ``CertificateTests`` over libcurl.
  final class CertificateOverCurlTests: CertificateTests {
    override func makeTransport(_ configuration: TransportConfiguration) throws -> any HTTPTransport {
      try CurlTransport(configuration)
    }

    func testTheTransportIsLibcurl() throws {
      XCTAssertTrue(try transport.get() is CurlTransport)
    }
  }

  /// ``RedirectTests`` over libcurl.
  final class RedirectOverCurlTests: RedirectTests {
    override func makeTransport(_ configuration: TransportConfiguration) throws -> any HTTPTransport {
      try CurlTransport(configuration)
    }

    func testTheTransportIsLibcurl() throws {
      XCTAssertTrue(try transport.get() is CurlTransport)
    }
  }
#endif
