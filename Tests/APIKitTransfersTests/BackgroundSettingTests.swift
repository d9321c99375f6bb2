import Foundation
import TestServers
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What of a service's settings is in force in a background session: each has its row, and what does not hold is refused.
final class BackgroundSettingTests: XCTestCase {
  private func members(of value: Any, _ prefix: String = "") -> [String] {
    Mirror(reflecting: value).children.compactMap(\.label).map { prefix + $0 }
  }

  private func rows() -> [String] { BackgroundSetting.all.map(\.name) }

  func testEverySettingOfATransportHasARow() {
    let configuration = TransportConfiguration()
    let nested: [String: Any] = [
      "timeouts": configuration.timeouts, "connections": configuration.connections,
      "tls": configuration.tls, "interfaces": configuration.interfaces,
      "loadOptions": LoadOptions.Fields(),
    ]
    var expected = ["redirects"]
    // Where a default is read late, what is stated is kept under this name.
    let own = members(of: configuration).map { $0 == "statedStorageKey" ? "storageKey" : $0 }
    for member in own {
      expected += nested[member].map { members(of: $0, "\(member).") } ?? [member]
    }
    XCTAssertGreaterThan(expected.count, 40)
    XCTAssertEqual(
      rows().sorted(), expected.sorted(),
      "say in BackgroundSetting.all what becomes of it in a background session")
  }

  func testTheGuideSaysWhatBecomesOfEachSetting() throws {
    let guide = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Transfers.md"), encoding: .utf8)
    let beginnings: [BackgroundSetting.Treatment: String] = [
      .inForce: "| in force |", .asked: "| in force, asked |", .shared: "| of the session |",
      .refused: "| refused |", .system: "| the system's |", .above: "| above |",
    ]
    /// No setting of an application.
    let own: Set = [
      "proxyTable", "isForDebugging", "timeouts.ceiling", "timeouts.spentMilliseconds", "loadOptions.isOwn",
      "loadOptions.owner", "loadOptions.binding", "loadOptions.location", "loadOptions.rule",
    ]
    for treatment in BackgroundSetting.Treatment.allCases {
      let beginning = try XCTUnwrap(beginnings[treatment])
      let row = try XCTUnwrap(
        guide.split(separator: "\n").first { $0.hasPrefix(beginning) }, "there is no row \(beginning)")
      let cells = row.split(separator: "|").map(String.init)
      let named = cells[cells.count - 1].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
        .map { String($0.element) }
      let expected = BackgroundSetting.all.filter { $0.treatment == treatment }.map(\.name)
        .filter { !own.contains($0) }
      XCTAssertEqual(named.sorted(), expected.sorted(), "\(treatment)")
    }
  }

  private func objection(
    _ change: (inout BackgroundSetting.Stated) -> Void
  ) -> String? {
    var stated = BackgroundSetting.Stated(configuration: .standard)
    // That of the session, which has another default on Apple systems.
    stated.configuration.proxy = stated.session.proxy
    change(&stated)
    do throws(APIError) { try BackgroundSetting.check(stated) } catch {
      XCTAssertEqual(error.reason, .unsupportedCapability)
      return error.detail
    }
    return nil
  }

  func testWhatDoesNotHoldIsRefusedByItsName() {
    let refusals: [(String, (inout BackgroundSetting.Stated) -> Void)] = [
      ("timeouts.connect", { $0.configuration.timeouts.connect = .seconds(3) }),
      ("timeouts.connect", { $0.timeouts.connect = .seconds(15) }),
      ("connections.total", { $0.configuration.connections.total = 9 }),
      ("connectionsPerHost", { $0.configuration.connections.perHost = 1 }),
      ("proxy", { $0.configuration.proxy = .through(HTTPProxy(.http, host: "proxy.test", port: 1)) }),
      ("minimumTLS", { $0.configuration.tls.minimumVersion = .tls1_3 }),
      ("isDiscretionary", { $0.configuration.interfaces.isDiscretionary = true }),
      ("(challenges)", { $0.configuration.challenges = ChallengeHandler { _ in .default } }),
      ("dnsOverHTTPS", { $0.configuration.dnsOverHTTPS = "https://1.1.1.1/dns-query" }),
      ("unixSocketPath", { $0.configuration.unixSocketPath = "/s" }),
      ("(versions)", { $0.configuration.versions = .http1Only }),
      ("(redirects)", { $0.isFollowingRedirects = false }),
      ("(destination)", { $0.loadOptions = [LoadOptions(destination: .file(path: "/f"))] }),
      ("(login)", { $0.loadOptions = [.none, LoadOptions(login: HTTPLogin(user: "a", password: "b"))] }),
      ("(connectTo)", { $0.loadOptions = [LoadOptions(connectTo: "127.0.0.1")] }),
      ("(compressesBody)", { $0.loadOptions = [LoadOptions(compressesBody: true)] }),
      ("(inspectHead)", { $0.loadOptions = [LoadOptions(inspectHead: { _, _ in })] }),
      ("(fileAtHead)", { $0.loadOptions = [LoadOptions(fileAtHead: { _, _ in nil })] }),
      ("(challenges)", { $0.loadOptions = [LoadOptions(challenges: ChallengeHandler { _ in .default })] }),
      ("timeouts.connect", { $0.loadOptions = [LoadOptions(timeouts: HTTPTimeouts(connect: .seconds(1)))] }),
      (
        "(expectsContinue)",
        {
          var options = LoadOptions.none
          options.expectsContinue = true
          $0.loadOptions = [options]
        }
      ),
    ]
    for (name, change) in refusals {
      let detail = objection(change)
      XCTAssertTrue(detail?.contains(name) == true, "\(name): \(detail ?? "taken")")
      XCTAssertTrue(detail?.contains("sessionIdentifier") == true, "the way out is named")
    }
  }

  func testASessionThatMeetsAStricterServiceTakesItsTransfers() {
    let proxy = ProxyChoice.through(HTTPProxy(.http, host: "proxy.test", port: 1))
    XCTAssertNil(
      objection {
        $0.configuration.proxy = proxy
        $0.configuration.tls.minimumVersion = .tls1_3
        $0.configuration.connections.perHost = 1
        $0.session.proxy = proxy
        $0.session.minimumTLS = .tls1_3
        $0.session.connectionsPerHost = 1
      })
  }

  func testThePresetsAreTaken() {
    for preset in [TransportConfiguration.standard, .ephemeral, .production, .debug, .background] {
      XCTAssertNil(
        objection {
          $0.configuration = preset
          $0.configuration.proxy = $0.session.proxy
          // On Linux a preset limits the connection.
          $0.configuration.timeouts.connect = HTTPTimeouts.standard.connect
          // Decided by the process, which the system asks.
          $0.configuration.tls.trust = .certificates(pem: Array("-----BEGIN CERTIFICATE-----".utf8))
          $0.configuration.tls.pinning = .publicKey(PinSet([]))
        })
    }
  }

  func testThePresetForTheBackgroundReachesTheSession() {
    let options = BackgroundSessionOptions.background
    XCTAssertEqual(options.limit, .seconds(3600))
    XCTAssertEqual(options.connectionsPerHost, 2)
    XCTAssertTrue(options.isDiscretionary)
    XCTAssertFalse(BackgroundSessionOptions().isDiscretionary, "a user may wait")
    XCTAssertEqual(BackgroundSessionOptions().limit, .zero, "a large file takes its time")
  }

  func testAnExtensionHasNoSessionUnlessItSaysWhereItsFilesGo() {
    XCTAssertTrue(Bundle.isExtension("/Applications/Homes.app/PlugIns/Share.appex"))
    XCTAssertFalse(Bundle.isExtension("/Applications/Homes.app"))
    XCTAssertNil(TransferQueueConfiguration.standardIdentifier(inExtension: true))
    XCTAssertEqual(TransferQueueConfiguration.standardIdentifier(inExtension: false), "apikit.transfers")
    var options = BackgroundSessionOptions()
    XCTAssertNil(options.fault(inExtension: false))
    XCTAssertEqual(options.fault(inExtension: true)?.reason, .misconfigured)
    XCTAssertTrue(options.fault(inExtension: true)?.detail.contains("sharedContainerIdentifier") == true)
    options.sharedContainerIdentifier = "group.homes"
    XCTAssertNil(options.fault(inExtension: true))
    options.proxy = .through(
      HTTPProxy(.socks5, host: "proxy.test", port: 1, login: HTTPLogin(user: "a", password: "b")))
    XCTAssertEqual(options.fault(inExtension: false)?.reason, .unsupportedCapability, "the system cannot")
    options.proxy = .none
    options.connectionsPerHost = 0
    XCTAssertEqual(options.fault(inExtension: false)?.reason, .misconfigured)
  }
}
