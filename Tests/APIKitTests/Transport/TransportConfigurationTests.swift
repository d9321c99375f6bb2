import TestServers
@testable import TestSupport
import XCTest

@testable import APIKit

final class TransportConfigurationTests: XCTestCase {
  func testReadyMadeConfigurationsNeedOnlyWhatTheyChange() throws {
    let needed: TransportCapabilities = [.connectionLimits, .connectTimeout, .idleTimeout, .totalTimeout]
    for configuration in [TransportConfiguration.standard, .ephemeral] {
      try configuration.validate(for: [])
    }
    for configuration in [TransportConfiguration.production, .debug, .background] {
      try configuration.validate(for: needed)
    }
    XCTAssertEqual(TransportConfiguration.ephemeral.persistence, .memory)
    XCTAssertEqual(TransportConfiguration.standard.persistence, .disk)
    XCTAssertGreaterThan(
      try XCTUnwrap(TransportConfiguration.debug.timeouts.idle),
      try XCTUnwrap(TransportConfiguration.production.timeouts.idle))
  }

  func testTheGuidesTableOfPresetsIsThatOfTheCode() throws {
    let page = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Configuration.md"), encoding: .utf8)
    let presets = [
      TransportConfiguration.standard, .ephemeral, .production, .debug, .background,
    ]
    func seconds(_ limit: Duration?) -> String {
      limit.map { $0 == .zero ? "none" : "\($0.components.seconds) s" } ?? "-"
    }
    let rows: [(String, (TransportConfiguration) -> String)] = [
      ("longest time to connect", { seconds($0.timeouts.connect) }),
      ("longest wait between two bytes", { seconds($0.timeouts.idle) }),
      ("longest time in all", { seconds($0.timeouts.total) }),
      ("connections per host", { "\($0.connections.perHost)" }),
      ("cookies and stored responses", { $0.persistence == .disk ? "on disk" : "in memory" }),
      ("caches", { $0.ignoresCaches ? "ignored" : "used" }),
      ("the cache follows the network", { $0.cacheFollowsNetwork ? "yes" : "no" }),
      ("checks of certificates may be skipped", { $0.isForDebugging ? "yes" : "no" }),
      ("servers without TLS", { $0.cleartext == .loopback ? "this machine" : "others" }),
      ("`Accept`", { $0.headers["Accept"].map { "`\($0)`" } ?? "–" }),
    ]
    for (name, cell) in rows {
      let row = "| \(name) | " + presets.map(cell).joined(separator: " | ") + " |\n"
      XCTAssertTrue(page.contains(row), row)
    }
  }

  func testASessionKeepsCookiesAndResponsesWhereItsConfigurationSays() async throws {
    let folder = temporaryFolder().path
    for (var configuration, isOnDisk) in [
      (TransportConfiguration.standard, true), (.production, true), (.background, true), (.ephemeral, false),
      (.debug, false),
    ] {
      let place = "\(folder)/\(UUID())"
      let cache = ResponseCache(for: configuration, disk: DiskCacheConfiguration(folder: place))
      XCTAssertEqual(cache.disk != nil, isOnDisk)
      await cache.flush()
      if !isOnDisk { XCTAssertFalse(FileManager.default.fileExists(atPath: place)) }
      configuration.storageKey = .random()
      XCTAssertEqual(try HTTPClient(configuration: configuration).cookies?.isOnDisk, isOnDisk)
      let keyed = ResponseCache(for: configuration, disk: DiskCacheConfiguration(folder: place))
      XCTAssertEqual(keyed.disk?.key != nil, isOnDisk, "the cache has the configuration's key")
      await keyed.flush()
    }
    XCTAssertTrue(
      DiskCacheConfiguration.standard.folder.hasSuffix("/responses"), DiskCacheConfiguration.standard.folder)
  }

  func testAMissingCapabilityIsNamed() {
    expect(.unsupportedCapability, "pinning") { configuration throws(APIError) in
      let pin = try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
      configuration.tls.pinning = .publicKey(PinSet([.init("a.test", pins: [pin])]))
    }
    expect(.unsupportedCapability, "proxies") { $0.proxy = .through(HTTPProxy(.http, host: "p", port: 1)) }
    expect(.unsupportedCapability, "interfaces") { $0.interfaces.allowsCellular = false }
    expect(.unsupportedCapability, "interfaces") { $0.interfaces.serviceType = .voice }
    expect(.unsupportedCapability, "Unix-domain") { $0.unixSocketPath = "/tmp/s" }
    expect(.unsupportedCapability, "client cert") {
      $0.tls.identity = .pkcs12(.bytes([1]), password: "")
    }
    expect(.unsupportedCapability, "minimum TLS") { $0.tls.minimumVersion = .tls1_3 }
    expect(.unsupportedCapability, "skipping") { $0.tls.skipsHostValidation = true }
    expect(.unsupportedCapability, "trust") { $0.tls.trust = .bundle(path: "/x") }
    expect(.unsupportedCapability, "idle") { $0.timeouts.idle = .seconds(1) }
    expect(.unsupportedCapability, "limits") { $0.connections.perHost = 2 }
  }

  func testValuesThatCannotBeRightAreRefused() {
    expect(.misconfigured, "negative") { $0.timeouts.total = .seconds(-1) }
    expect(.misconfigured, "port") { $0.proxy = .through(HTTPProxy(.socks5, host: "p", port: 0)) }
    expect(.misconfigured, "at least 1") { $0.connections.perHost = 0 }
    expect(.misconfigured, "107") { $0.unixSocketPath = String(repeating: "x", count: 108) }
    expect(.misconfigured, "proxy") {
      $0.unixSocketPath = "/tmp/s"
      $0.proxy = .through(HTTPProxy(.socks5, host: "p", port: 1))
    }
    expect(.misconfigured, "header") { $0.headers = ["a b": "c"] }
    expect(.misconfigured, "PEM") { $0.tls.trust = .certificates(pem: [1, 2]) }
    expect(.misconfigured, "no host") { $0.tls.pinning = .certificate(PinSet([])) }
    expect(.misconfigured, "no pins") { $0.tls.pinning = .publicKey(PinSet([.init("a.test", pins: [])])) }
    expect(.misconfigured, "no key") {
      $0.tls.identity = .pem(certificate: .file(path: "/c"), key: .bytes([]))
    }
  }

  func testSkippingTheChecksOfEveryHostIsForDebuggingOnly() throws {
    for change: (inout TransportConfiguration) -> Void in [
      { $0.tls.allowsInvalidCertificates = true }, { $0.tls.skipsHostValidation = true },
    ] {
      for preset: TransportConfiguration in [.standard, .ephemeral, .production, .background] {
        var configuration = preset
        change(&configuration)
        assertFails(.misconfigured, "replacesChain") { try configuration.validate(for: .all) }
      }
      var debug = TransportConfiguration.debug
      change(&debug)
      XCTAssertNoThrow(try debug.validate(for: .all))
    }
    let pin = try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
    var pinned = TransportConfiguration.production
    pinned.tls.pinning = .publicKey(PinSet([.init("a.test", pins: [pin], replacesChain: true)]))
    XCTAssertNoThrow(try pinned.validate(for: .all))
    assertFails(.unsupportedCapability, "replace the chain") {
      try pinned.validate(for: .all.subtracting(.insecureTLS))
    }
  }

  func testARequestsLimitsGoBeforeTheSessions() {
    let limits = HTTPTimeouts(idle: .seconds(2)).filled(from: .standard)
    XCTAssertEqual(limits, HTTPTimeouts(connect: .seconds(15), idle: .seconds(2), total: .zero))
  }

  func testProxyExceptionsAreNamesOrEndings() {
    let proxy = HTTPProxy(.http, host: "p", port: 1, exceptions: ["Localhost", ".internal", "10.0.0.1"])
    for host in ["localhost", "a.internal", "internal", "10.0.0.1"] {
      XCTAssertTrue(proxy.isException(host), host)
    }
    for host in ["a.localhost", "xinternal", "10.0.0.2"] { XCTAssertFalse(proxy.isException(host), host) }
    XCTAssertFalse("\(proxy)".contains("•"))
  }

  private func expect(
    _ reason: APIError.Reason, _ words: String, line: UInt = #line,
    _ change: (inout TransportConfiguration) throws(APIError) -> Void
  ) {
    var configuration = TransportConfiguration()
    do {
      try change(&configuration)
      try configuration.validate(for: [])
      XCTFail("nothing was thrown", line: line)
    } catch {
      XCTAssertEqual(error.reason, reason, line: line)
      XCTAssertTrue(error.detail.contains(words), error.detail, line: line)
    }
  }

  func testEachCapabilityHasABitOfItsOwn() {
    let all: [TransportCapabilities] = [
      .http2, .fileUpload, .streamUpload, .fileDownload, .streamDownload, .progress, .connectTimeout,
      .idleTimeout, .totalTimeout, .pinning, .customTrust, .clientIdentity, .minimumTLS, .connectTo,
      .proxy, .login, .metrics, .unixSocket, .ftp, .connectionLimits, .headInspection, .insecureTLS,
      .interfaceControl, .prewarming, .brotli, .zstd, .versionChoice, .gzip, .suspension, .challenges,
      .http3, .discretionary, .dnsOverHTTPS,
    ]
    XCTAssertEqual(Set(all).count, all.count)
  }
}
