import Foundation
import TestServers
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What Apple's session reports, in the framework's words.
final class TransactionTimesTests: XCTestCase {
  private let start = Date(timeIntervalSince1970: 1_000_000)

  private func after(_ milliseconds: Double) -> Date { start.addingTimeInterval(milliseconds / 1000) }

  func testEachPhaseHasItsTimeSinceTheTaskBegan() {
    let metrics = TransactionTimes(
      start: start, fetch: after(1), domainLookupEnd: after(3), connectEnd: after(20),
      secureConnectionStart: after(8), secureConnectionEnd: after(20), requestEnd: after(30),
      responseStart: after(50), responseEnd: after(80), tlsVersion: 0x0304, cipherSuite: 0x1302
    ).metrics
    XCTAssertEqual(
      [metrics.queued, metrics.nameLookup, metrics.connect, metrics.tls, metrics.requestSent],
      [1000, 3000, 8000, 20_000, 30_000])
    XCTAssertEqual([metrics.firstByte, metrics.total], [50_000, 80_000])
    XCTAssertEqual(metrics.tlsProtocol, "TLSv1.3 TLS_AES_256_GCM_SHA384")
  }

  func testAPhaseThatDidNotOccurHasTheTimeOfTheOneBefore() {
    let reused = TransactionTimes(
      start: start, fetch: after(2), responseStart: after(10), responseEnd: after(11)
    ).metrics
    XCTAssertEqual(
      [reused.queued, reused.nameLookup, reused.connect, reused.tls, reused.firstByte, reused.total],
      [2000, 2000, 2000, 2000, 10_000, 11_000])
    XCTAssertNil(reused.tlsProtocol)
    // Clocks are set back now and then.
    let back = TransactionTimes(start: start, fetch: after(5), responseStart: after(1)).metrics
    XCTAssertEqual([back.firstByte, back.total], [5000, 5000])
  }

  func testTLSIsNamedAsOnLinux() {
    XCTAssertEqual(TransactionTimes.name(0x0303, 0xC02F), "TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256")
    XCTAssertEqual(TransactionTimes.name(0x0303, 0xABCD), "TLSv1.2 0xabcd")
    XCTAssertEqual(TransactionTimes.name(0x0304, nil), "TLSv1.3")
    XCTAssertNil(TransactionTimes.name(nil, 0x1301))
  }

  func testARefusalOfAppTransportSecurityHasItsOwnWords() {
    let error = NSError(domain: NSURLErrorDomain, code: -1022)
    XCTAssertEqual(URLSessionTransport.reason(of: error), .cleartextRefused)
    XCTAssertEqual(URLSessionTransport.detail(of: error)?.contains("NSAppTransportSecurity"), true)
    XCTAssertNil(URLSessionTransport.detail(of: URLError(.cannotFindHost)))
  }

  func testAHandshakeThatAppTransportSecurityEndsNamesTheException() {
    let ended = URLError(
      .secureConnectionFailed, userInfo: ["_kCFStreamErrorDomainKey": 3, "_kCFStreamErrorCodeKey": -9802])
    XCTAssertEqual(URLSessionTransport.reason(of: ended), .tlsHandshakeFailed)
    let detail = URLSessionTransport.detail(of: ended)
    for word in ["-9802", "replace the chain", "NSExceptionDomains", "NSExceptionAllowsInsecureHTTPLoads"] {
      XCTAssertEqual(detail?.contains(word), true, word)
    }
    XCTAssertNil(
      URLSessionTransport.detail(of: NSError(domain: NSURLErrorDomain, code: -1200)),
      "Linux has no such thing")
  }

  func testEveryPresetIsWithinWhatApplesSessionCanDo() throws {
    let capabilities = URLSessionTransport.capabilities.union(URLSessionTransport.onApple)
    for preset: TransportConfiguration in [.standard, .ephemeral, .production, .debug, .background] {
      var preset = preset
      let limits = preset.timeouts
      preset.timeouts = TransportConfiguration.limits(
        connect: .seconds(60), idle: limits.idle ?? .zero, total: limits.total ?? .zero,
        tellsConnections: false)
      preset.interfaces.serviceType = .background
      XCTAssertNoThrow(try preset.validate(for: capabilities))
    }
    assertFails(.unsupportedCapability, "connect timeouts") {
      var limited = TransportConfiguration.production
      limited.timeouts.connect = .seconds(5)
      try limited.validate(for: capabilities)
    }
  }

  func testThePrivacyManifestNamesWhatTheSourcesUse() throws {
    let manifest = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Sources/APIKit/PrivacyInfo.xcprivacy"),
      encoding: .utf8)
    let uses: [(category: String, words: [String])] = [
      (
        "FileTimestamp",
        ["stat(", "modificationDate", "creationDate", "contentModificationDateKey", "getattrlist("]
      ),
      ("DiskSpace", ["statfs(", "statvfs(", "systemFreeSize", "volumeAvailableCapacity"]),
      ("SystemBootTime", ["systemUptime", "mach_absolute_time("]),
      ("UserDefaults", ["UserDefaults"]), ("ActiveKeyboards", ["activeInputModes"]),
    ]
    let code = try PackageFolder.sources().map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    for (category, words) in uses {
      XCTAssertEqual(
        manifest.contains("NSPrivacyAccessedAPICategory" + category), words.contains { code.contains($0) },
        "\(category): what the sources use of it, the manifest gives a reason for")
    }
    _ = try PropertyListSerialization.propertyList(from: Data(manifest.utf8), format: nil)
  }
}
