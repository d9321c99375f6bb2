import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Every option of a load and every setting of a configuration, and what becomes of it with Apple's session.
///
/// A member that is added and has no row here fails.
final class SystemTermsTests: XCTestCase {
  /// What becomes of a setting that is changed.
  private enum Outcome {
    /// The system is told so: what it is told differs in these entries and no others.
    case told([String: String])
    /// The transport refuses it with these words.
    case refused(String)
    /// It is in the exchange, and the attempt honours it.
    case carried((HTTPExchange) -> Bool)
    /// The transport honours it itself: by its own timers, at a challenge, or where a file is kept.
    case honoured
    /// It is for the layers above.
    case above
  }

  private struct Row<Value> {
    let name: String
    let change: (inout Value) throws -> Void
    let outcome: Outcome

    init(_ name: String, _ outcome: Outcome, _ change: @escaping (inout Value) throws -> Void) {
      (self.name, self.outcome, self.change) = (name, outcome, change)
    }
  }

  private let onApple = URLSessionTransport.capabilities.union(URLSessionTransport.onApple)

  // MARK: The tables

  private var optionRows: [Row<LoadOptions>] {
    [
      Row("destination", .carried { if case .stream = $0.destination { true } else { false } }) {
        $0.destination = .stream
      },
      Row("login", .carried { $0.request.options.login != nil }) {
        $0.login = HTTPLogin(user: "ann", password: "p")
      },
      Row("connectTo", .refused("connectTo")) { $0.connectTo = "127.0.0.1" },
      Row("compressesBody", .carried { $0.request.options.compressesBody }) { $0.compressesBody = true },
      Row("inspectHead", .carried { $0.inspectHead != nil }) { $0.inspectHead = { _, _ in } },
      Row("fileAtHead", .carried { $0.fileAtHead != nil }) { $0.fileAtHead = { _, _ in nil } },
      Row("allowsCellular", .told(["request.allowsCellular": "false"])) { $0.allowsCellular = false },
      Row("allowsExpensive", .told(["request.allowsExpensive": "false"])) { $0.allowsExpensive = false },
      Row("allowsConstrained", .told(["request.allowsConstrained": "false"])) {
        $0.allowsConstrained = false
      },
      Row("serviceType", .told(["request.serviceType": "voice"])) { $0.serviceType = .voice },
      Row("usesCookies", .above) { $0.usesCookies = false },
      Row("cookieDocument", .above) { $0.cookieDocument = HTTPURL("https://homes.test/") },
      // One that is not the session's is refused when it is sent: `URLSession` shares its connections.
      Row("challenges", .carried { $0.challenges != nil }) {
        $0.challenges = ChallengeHandler { _ in .default }
      },
      Row("connect", .refused("connectTimeout")) { $0.timeouts.connect = .seconds(1) },
      Row("idle", .carried { $0.request.timeouts.idle == .seconds(1) }) { $0.timeouts.idle = .seconds(1) },
      Row("total", .carried { $0.request.timeouts.total == .seconds(1) }) { $0.timeouts.total = .seconds(1) },
      Row("expectsContinue", .refused("expectContinue")) { $0.expectsContinue = true },
      Row("isOwn", .above) { _ in },
      Row("owner", .above) { $0.owner = LoadOwner(epoch: 1, jar: 1, signer: nil) },
      Row("binding", .above) { $0.binding = LoadBinding(environment: "release", transport: nil) },
      Row("location", .above) { $0.location = HTTPURL("https://homes.test/") },
      Row("rule", .above) { $0.rule = { _ in } },
    ]
  }

  private var requestRows: [Row<HTTPRequestOptions>] {
    let login = HTTPLogin(user: "ann", password: "p")
    return [
      Row("login", .carried { $0.request.options.login != nil }) { $0.login = login },
      Row("connectTo", .refused("connectTo")) { $0.connectTo = "127.0.0.1" },
      Row("compressesBody", .carried { $0.request.options.compressesBody }) { $0.compressesBody = true },
      Row("expectsContinue", .refused("expectContinue")) { $0.expectsContinue = true },
      Row("cleartext", .honoured) { $0.cleartext = .allowed },
      Row("allowsCellular", .told(["request.allowsCellular": "false"])) { $0.allowsCellular = false },
      Row("allowsExpensive", .told(["request.allowsExpensive": "false"])) { $0.allowsExpensive = false },
      Row("allowsConstrained", .told(["request.allowsConstrained": "false"])) {
        $0.allowsConstrained = false
      },
      Row("serviceType", .told(["request.serviceType": "background"])) { $0.serviceType = .background },
      Row("priority", .told(["request.priority": "0.75"])) { $0.priority = .high },
    ]
  }

  private var configurationRows: [Row<TransportConfiguration>] {
    [
      Row("headers", .told(["field.X-Own": "1"])) { $0.headers["X-Own"] = "1" },
      Row("timeouts.connect", .refused("connect")) { $0.timeouts.connect = .seconds(1) },
      Row("timeouts.idle", .honoured) { $0.timeouts.idle = .seconds(1) },
      Row("timeouts.total", .honoured) { $0.timeouts.total = .seconds(1) },
      Row("timeouts.ceiling", .above) { $0.timeouts.ceiling = .seconds(1) },
      Row("timeouts.spentMilliseconds", .above) { $0.timeouts.spentMilliseconds = 1000 },
      Row("connections.perHost", .told(["session.connectionsPerHost": "2"])) { $0.connections.perHost = 2 },
      Row("connections.total", .refused("a limit of connections in all")) { $0.connections.total = 2 },
      Row("proxy", .told(["session.proxies": "none"])) { $0.proxy = .none },
      // What the choice comes to on Linux.
      Row("proxyTable", .above) { _ in },
      Row("tls.minimumVersion", .told(["session.minimumTLS": "TLS 1.3"])) { $0.tls.minimumVersion = .tls1_3 },
      Row("tls.trust", .told(["judge": "policy"])) { $0.tls.trust = .bundle(path: "/etc/roots.pem") },
      Row("tls.pinning", .told(["judge": "both"])) {
        let pin = try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
        $0.tls.pinning = .publicKey(PinSet([PinSet.Host("homes.test", pins: [pin])]))
      },
      Row("tls.identity", .honoured) { $0.tls.identity = .keychain(label: "homes") },
      Row("tls.allowsInvalidCertificates", .told(["judge": "policy"])) {
        $0.tls.allowsInvalidCertificates = true
      },
      Row("tls.skipsHostValidation", .told(["judge": "policy"])) { $0.tls.skipsHostValidation = true },
      Row("cleartext", .honoured) { $0.cleartext = .allowed },
      Row("challenges", .honoured) { $0.challenges = ChallengeHandler { _ in .default } },
      Row("logins", .honoured) { $0.logins = MemoryLoginStore() },
      Row("interfaces.allowsCellular", .told(["request.allowsCellular": "false"])) {
        $0.interfaces.allowsCellular = false
      },
      Row("interfaces.allowsExpensive", .told(["request.allowsExpensive": "false"])) {
        $0.interfaces.allowsExpensive = false
      },
      Row("interfaces.allowsConstrained", .told(["request.allowsConstrained": "false"])) {
        $0.interfaces.allowsConstrained = false
      },
      Row("interfaces.isDiscretionary", .refused("may delay")) { $0.interfaces.isDiscretionary = true },
      Row("interfaces.serviceType", .told(["request.serviceType": "video"])) {
        $0.interfaces.serviceType = .video
      },
      Row("loadOptions", .above) { $0.loadOptions.allowsCellular = true },
      Row("dnsOverHTTPS", .refused("dnsOverHTTPS")) { $0.dnsOverHTTPS = HTTPURL("https://1.1.1.1/dns") },
      Row("unixSocketPath", .refused("Unix-domain")) { $0.unixSocketPath = "/tmp/s" },
      Row("maximumDecodedBytes", .honoured) { $0.maximumDecodedBytes = 1 },
      Row("versions", .told(["request.assumesHTTP3": "true"])) { $0.versions = .upToHTTP3 },
      Row("persistence", .above) { $0.persistence = .memory },
      Row("ignoresCaches", .above) { $0.ignoresCaches = true },
      Row("cacheFollowsNetwork", .above) { $0.cacheFollowsNetwork = true },
      Row("statedStorageKey", .above) { $0.storageKey = .random() },
      Row("isForDebugging", .above) { _ in },
    ]
  }

  // MARK: The comparison

  func testEveryOptionOfALoadReachesTheSystemOrIsNamed() throws {
    try compare(optionRows, with: LoadOptions.Fields(), .none) { options, exchange, _ in
      options.apply(to: &exchange.request)
      options.apply(to: &exchange)
    }
  }

  func testEveryOptionOfARequestReachesTheSystemOrIsNamed() throws {
    try compare(requestRows, with: HTTPRequestOptions(), HTTPRequestOptions()) { options, exchange, _ in
      exchange.request.options = options
    }
  }

  func testEverySettingOfAConfigurationReachesTheSystemOrIsNamed() throws {
    try compare(configurationRows, with: plain, plain) { changed, _, configuration in
      configuration = changed
    }
  }

  func testALoadMayPermitWhatItsConfigurationForbids() throws {
    var configuration = plain
    configuration.interfaces.allowsCellular = false
    configuration.interfaces.serviceType = .background
    var exchange = HTTPExchange(HTTPRequest(url: "https://homes.test/"))
    let options = LoadOptions(allowsCellular: true, serviceType: .responsiveData)
    options.apply(to: &exchange.request)
    let terms = SystemRequestTerms(exchange.request, configuration)
    XCTAssertTrue(terms.allowsCellular)
    XCTAssertEqual(terms.serviceType, .responsiveData)
    XCTAssertTrue(try URLSessionTransport.urlRequest(exchange, configuration).allowsCellularAccess)
  }

  func testTheMoreUrgentLoadHasTheHigherPriority() {
    let numbers = FlightPriority.allCases.map { priority in
      var options = HTTPRequestOptions()
      options.priority = priority
      return SystemRequestTerms(options).priority
    }
    XCTAssertEqual(numbers, [0, 0.25, 0.5, 0.75])
  }

  /// The same on every platform.
  private var plain: TransportConfiguration {
    var configuration = TransportConfiguration.debug
    configuration.timeouts = .standard
    configuration.proxy = .system
    configuration.storageKey = nil
    return configuration
  }

  private func compare<Value>(
    _ rows: [Row<Value>], with members: Any, _ before: Value, line: UInt = #line,
    _ set: (Value, inout HTTPExchange, inout TransportConfiguration) -> Void
  ) throws {
    XCTAssertEqual(
      rows.map(\.name).sorted(), Self.names(of: members).sorted(), "one row for each", line: line)
    let empty = HTTPExchange(HTTPRequest(url: "https://homes.test/"))
    let usual = try told(empty, plain)
    for row in rows {
      var value = before
      try row.change(&value)
      var (exchange, configuration) = (empty, plain)
      set(value, &exchange, &configuration)
      if case .refused(let words) = row.outcome {
        assertFails(.unsupportedCapability, words, line: line) { try refuse(exchange, configuration) }
        continue
      }
      XCTAssertNoThrow(try refuse(exchange, configuration), row.name, line: line)
      let now = try told(exchange, configuration)
      let difference = now.filter { usual[$0.key] != $0.value }
      if case .told(let expected) = row.outcome {
        XCTAssertEqual(difference, expected, row.name, line: line)
      } else {
        XCTAssertEqual(difference, [:], row.name, line: line)
      }
      if case .carried(let arrives) = row.outcome {
        XCTAssertTrue(arrives(exchange), row.name, line: line)
        XCTAssertFalse(arrives(empty), row.name, line: line)
      }
    }
  }

  /// Throws what the transport throws on Apple platforms, when it is made and when it sends.
  private func refuse(_ exchange: HTTPExchange, _ configuration: TransportConfiguration) throws {
    try configuration.validate(for: onApple)
    _ = try SystemSessionTerms(configuration)
    try onApple.check(exchange, cleartext: configuration.cleartext)
  }

  /// All that the system is told, from the values and from the request that comes out.
  private func told(
    _ exchange: HTTPExchange, _ configuration: TransportConfiguration
  ) throws -> [String: String] {
    var told: [String: String] = [:]
    for child in Mirror(reflecting: SystemRequestTerms(exchange.request, configuration)).children {
      told["request." + (child.label ?? "")] = "\(child.value)"
    }
    let terms = try SystemSessionTerms(configuration)
    for child in Mirror(reflecting: terms).children {
      told["session." + (child.label ?? "")] = "\(child.value)"
    }
    told["session.proxies"] = terms.proxies.values.map { $0.isEmpty ? "none" : "\($0)" } ?? "system"
    told["judge"] = "\(configuration.tls.judge(of: "homes.test", at: Date()))"
    let request = try URLSessionTransport.urlRequest(exchange, configuration)
    for (name, value) in request.allHTTPHeaderFields ?? [:] { told["field." + name] = value }
    let system = URLSessionConfiguration.ephemeral
    system.set(terms)
    for (name, value) in Self.reading(request, system) {
      XCTAssertEqual(told[name], value, "\(name): what is told is set")
    }
    return told
  }

  /// What the system's own values say, in the words of the terms.
  private static func reading(
    _ request: URLRequest, _ session: URLSessionConfiguration
  ) -> [String: String] {
    var read = [
      "request.allowsCellular": "\(request.allowsCellularAccess)",
      "session.connectionsPerHost": "\(session.httpMaximumConnectionsPerHost)",
    ]
    #if !canImport(FoundationNetworking)
      read["request.allowsExpensive"] = "\(request.allowsExpensiveNetworkAccess)"
      read["request.allowsConstrained"] = "\(request.allowsConstrainedNetworkAccess)"
      read["request.assumesHTTP3"] = "\(request.assumesHTTP3Capable)"
      let types: [NetworkServiceType] = [.standard, .background, .responsiveData, .video, .voice]
      read["request.serviceType"] =
        types.first { $0.networkServiceType == request.networkServiceType }.map { "\($0)" }
      let versions: [TLSVersion] = [.tls1_0, .tls1_1, .tls1_2, .tls1_3]
      read["session.minimumTLS"] =
        versions.first { $0.protocolVersion == session.tlsMinimumSupportedProtocolVersion }?.description
      read["session.proxies"] = session.connectionProxyDictionary == nil ? "system" : "none"
    #endif
    return read
  }

  /// The names of a value's members; those of the settings that have members of their own with a dot between.
  private static func names(of value: Any) -> [String] {
    Mirror(reflecting: value).children.flatMap { child in
      let name = child.label ?? ""
      switch child.value {
      case is HTTPTimeouts, is ConnectionLimits, is TLSPolicy, is InterfacePolicy:
        return names(of: child.value).map { name + "." + $0 }
      default: return [name]
      }
    }
  }
}
