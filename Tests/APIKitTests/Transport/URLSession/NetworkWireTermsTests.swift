import Foundation
import XCTest

@testable import APIKit

/// What a connection of Apple's Network framework is told, what is refused by name, and what its errors mean.
final class NetworkWireTermsTests: XCTestCase {
  private func terms(
    _ url: String = "https://homes.test/", speaksHTTP: Bool = false, takesProxies: Bool = true,
    plist: [String: Any]? = nil,
    _ change: (inout HTTPExchange, inout TransportConfiguration) -> Void = { _, _ in }
  ) throws -> NetworkWireTerms {
    var exchange = HTTPExchange(HTTPRequest(url: try HTTPURL(url)))
    var configuration = TransportConfiguration.debug
    change(&exchange, &configuration)
    return try NetworkWireTerms(
      exchange, configuration, speaksHTTP: speaksHTTP, takesProxies: takesProxies, plist: plist)
  }

  private func refusal(_ make: () throws -> NetworkWireTerms) -> String {
    do {
      _ = try make()
      return ""
    } catch {
      let error = error as? APIError
      XCTAssertEqual(error?.reason, .unsupportedCapability)
      return error?.description ?? ""
    }
  }

  func testHostAndPortAreThoseOfTheURL() throws {
    let secure = try terms()
    XCTAssertEqual([secure.host, "\(secure.port)", "\(secure.isSecure)"], ["homes.test", "443", "true"])
    let plain = try terms("http://[::1]:8025/")
    XCTAssertEqual([plain.host, "\(plain.port)", "\(plain.isSecure)"], ["::1", "8025", "false"])
    XCTAssertThrowsError(try terms("http://homes.test:0/")) {
      XCTAssertEqual(($0 as? APIError)?.reason, .invalidURL)
    }
  }

  func testTLSFollowsThePolicy() throws {
    XCTAssertNil(try terms().applicationProtocol)
    XCTAssertEqual(try terms(speaksHTTP: true).applicationProtocol, "http/1.1")
    XCTAssertNil(try terms("http://homes.test/", speaksHTTP: true).applicationProtocol)
    XCTAssertEqual(try terms().minimumTLS, .tls1_2)
    XCTAssertEqual(try terms { $1.tls.minimumVersion = .tls1_3 }.minimumTLS, .tls1_3)
    let identity = ClientIdentity.keychain(label: "own")
    XCTAssertEqual(try terms { $1.tls.identity = identity }.identity, identity)
    XCTAssertNil(
      try terms {
        $0.crossesOrigin = true
        $1.tls.identity = identity
      }.identity)
  }

  func testAResumedSessionWouldShowNoCertificatesToCompare() throws {
    XCTAssertTrue(try terms().resumesTLS)
    let pin = try PinSet.Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    let pins = PinSet([PinSet.Host("homes.test", pins: [pin])])
    XCTAssertFalse(try terms { $1.tls.pinning = .publicKey(pins) }.resumesTLS)
    XCTAssertTrue(try terms("https://other.test/") { $1.tls.pinning = .publicKey(pins) }.resumesTLS)
    XCTAssertFalse(try terms { $1.tls.allowsInvalidCertificates = true }.resumesTLS)
  }

  func testInterfacesAndTrafficAreToldAsOfRequests() throws {
    let system = try terms {
      $0.request.options.allowsCellular = false
      $1.interfaces.allowsExpensive = false
      $1.interfaces.serviceType = .voice
    }.system
    XCTAssertEqual(
      [system.allowsCellular, system.allowsExpensive, system.allowsConstrained], [false, false, true])
    XCTAssertEqual(system.serviceType, .voice)
  }

  func testAProxyMakesATunnelWhereTheSystemTakesOne() throws {
    let login = HTTPLogin(user: "ann", password: "p")
    let proxy = HTTPProxy(
      .http, host: "proxy.test", port: 3128, login: login, exceptions: [".test", "10.0.0.0/8"])
    func way(_ url: String, _ choice: ProxyChoice) throws -> NetworkWireTerms.ProxyUse {
      try terms(url) { $1.proxy = choice }.proxy
    }
    XCTAssertEqual(try way("https://homes.test/", .system), .system)
    XCTAssertEqual(try way("https://homes.test/", .none), .none)
    XCTAssertEqual(try way("https://homes.example/", .through(proxy)), .through(proxy))
    XCTAssertEqual(try way("https://homes.test/", .through(proxy)), .none, "an exception")
    XCTAssertEqual(
      try way("http://10.2.3.4:25/", .through(proxy)), .none, "a range, which URLSession does not know")
    let older = refusal {
      try terms("https://a.example/", takesProxies: false) { $1.proxy = .through(proxy) }
    }
    XCTAssertTrue(older.contains("iOS 17"), older)
    XCTAssertEqual(try terms(takesProxies: false) { $1.proxy = .through(proxy) }.proxy, .none)
    let other = HTTPLogin(user: "bob", password: "q")
    let stated = try terms("https://a.example/") {
      $0.proxyLogin = other
      $1.proxy = .through(proxy)
    }.proxy
    if case .through(let proxy) = stated { XCTAssertEqual(proxy.login, other) } else { XCTFail("\(stated)") }
  }

  func testPinsOfTheInfoPlistAreNotPassedOver() throws {
    let plist: [String: Any] = [
      "NSAppTransportSecurity": [
        "NSPinnedDomains": [
          "Homes.test": ["NSIncludesSubdomains": true, "NSPinnedCAIdentities": []],
          "bank.test": ["NSPinnedLeafIdentities": []],
        ]
      ]
    ]
    for host in ["homes.test", "HOMES.test.", "api.homes.test", "bank.test"] {
      let said = refusal { try terms("https://\(host)/", plist: plist) }
      XCTAssertTrue(said.contains("NSPinnedDomains"), "\(host): \(said)")
    }
    for host in ["nothomes.test", "api.bank.test", "other.test"] {
      XCTAssertNoThrow(try terms("https://\(host)/", plist: plist), host)
    }
    XCTAssertNoThrow(try terms("http://homes.test/", plist: plist), "there is no certificate without TLS")
    let pin = try PinSet.Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    let own = PinSet([PinSet.Host("homes.test", pins: [pin])])
    XCTAssertNoThrow(
      try terms(plist: plist) { $1.tls.pinning = .publicKey(own) }, "the application has stated its pins here"
    )
  }

  // MARK: Errors

  func testFaultsOfOpeningHaveTheReasonOfWhatTheyMean() {
    func reason(
      _ fault: NetworkFault, _ circumstances: NetworkFault.Circumstances = NetworkFault.Circumstances()
    ) -> APIError.Reason { fault.opening(circumstances).reason }
    func posix(_ code: POSIXErrorCode) -> NetworkFault { .posix(code.rawValue) }
    XCTAssertEqual(reason(posix(.ECONNREFUSED)), .connectionRefused)
    XCTAssertEqual(reason(posix(.EHOSTUNREACH)), .connectionRefused)
    XCTAssertEqual(reason(posix(.ENETDOWN)), .noNetwork)
    XCTAssertEqual(reason(posix(.ETIMEDOUT)), .connectTimeout)
    XCTAssertEqual(reason(posix(.ECONNRESET)), .connectionLost)
    XCTAssertEqual(reason(posix(.EIO)), .transportFailed)
    XCTAssertEqual(
      reason(posix(.ECONNREFUSED), NetworkFault.Circumstances(isThroughProxy: true)), .proxyFailed)
    XCTAssertEqual(reason(.dns(-65538)), .unknownHost)
    XCTAssertEqual(reason(.dns(-65570)), .noNetwork)
    XCTAssertEqual(reason(.other("odd")), .transportFailed)
    let statuses: [Int32: APIError.Reason] = [
      -9807: .certificateUntrusted, -9814: .certificateExpired, -9815: .certificateNotYetValid,
      -9843: .certificateHostMismatch, -9836: .tlsVersionTooOld, -9824: .tlsHandshakeFailed,
      -9825: .tlsHandshakeFailed, -9816: .tlsHandshakeFailed,
    ]
    for (status, expected) in statuses { XCTAssertEqual(reason(.tls(status)), expected, "\(status)") }
    let asked = NetworkFault.Circumstances(wasAskedForCertificate: true)
    let shown = NetworkFault.Circumstances(hasIdentity: true, wasAskedForCertificate: true)
    for status: Int32 in [-9829, -9825, -9824, -9831, -9832] {
      XCTAssertEqual(reason(.tls(status), asked), .clientCertificateRequired, "\(status)")
      XCTAssertEqual(reason(.tls(status), shown), .clientCertificateRefused, "\(status)")
    }
    XCTAssertEqual(reason(.tls(-9828), shown), .clientCertificateExpired)
    XCTAssertEqual(reason(.tls(-9814), shown), .certificateExpired, "the server's own")
    let silent = NetworkFault.tls(-9816).opening(asked)
    XCTAssertEqual(silent.reason, .tlsHandshakeFailed)
    XCTAssertTrue(silent.description.contains("had asked for a client certificate"), silent.description)
    XCTAssertTrue(silent.description.contains("-9816"), silent.description)
  }

  func testFaultsOfAnOpenConnectionAreALoss() {
    let plain = NetworkFault.Circumstances()
    for fault in [
      NetworkFault.posix(POSIXErrorCode.ENETDOWN.rawValue), .tls(-9825), .dns(-65554), .other("odd"),
    ] {
      XCTAssertEqual(fault.breaking(plain).reason, .connectionLost)
    }
    XCTAssertEqual(
      NetworkFault.tls(-9828).breaking(
        NetworkFault.Circumstances(hasIdentity: true, wasAskedForCertificate: true)
      ).reason, .clientCertificateExpired)
  }

  #if canImport(FoundationNetworking)
    func testURLSessionOnLinuxRefusesStreamsOfBytesByName() throws {
      let transport = try URLSessionTransport()
      defer { transport.shutdown() }
      let exchange = HTTPExchange(HTTPRequest(url: HTTPURL("https://homes.test/")))
      XCTAssertThrowsError(try transport.makeWire(for: exchange, speaksHTTP: false)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .unsupportedCapability)
      }
    }
  #endif

  func testTLSInTheMiddleIsACapabilityOfItsOwn() throws {
    #if os(Linux)
      XCTAssertTrue(try CurlTransport().capabilities.contains(.startTLS))
    #endif
    XCTAssertFalse(URLSessionTransport.capabilities.union(URLSessionTransport.onApple).contains(.startTLS))
  }
}
