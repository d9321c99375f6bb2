@testable import APIKitPaging
@testable import APIKitSettings
@testable import APIKitGroups
import Foundation
import TestServers
import XCTest

@testable import APIKit
import APIKitOAuth
@testable import APIKitSockets
@testable import APIKitTransfers

/// Settings and parameters are written in a form with a version, and read again.
final class WrittenFormTests: XCTestCase {
  private let key = SecretKey(bytes: [UInt8](0..<32))

  private func encoder(_ key: SecretKey? = nil) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[.sealingKey] = key
    return encoder
  }

  private func decoder(_ key: SecretKey? = nil) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[.sealingKey] = key
    return decoder
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder().encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(_ text: String, _ type: Value.Type = Value.self) throws -> Value {
    try decoder().decode(Value.self, from: Data(text.utf8))
  }

  func testEveryFormOfEveryVersionIsReadForEver() throws {
    for golden in GoldenForm.all {
      XCTAssertEqual(try golden.rewritten(), golden.text, golden.name)
      XCTAssertEqual(try golden.expected(), golden.text, "\(golden.name) is read as another value")
    }
  }

  func testEveryTypeWithAFormHasAGoldenOne() throws {
    var forms: [String: Int] = [:]
    for file in PackageFolder.sources() {
      let code = try String(contentsOf: file, encoding: .utf8)
      for part in code.components(separatedBy: "VersionedForm<Self>(").dropFirst() {
        let name = try XCTUnwrap(part.components(separatedBy: "name: \"").dropFirst().first)
        let version = part.components(separatedBy: "start:")[0].components(separatedBy: "version: ")
          .dropFirst().first
        forms[String(name.prefix { $0 != "\"" })] = version.flatMap { Int($0.prefix(while: \.isNumber)) } ?? 1
      }
    }
    XCTAssertGreaterThan(forms.count, 15)
    for (name, version) in forms {
      let versions = GoldenForm.all.filter { $0.name == name }.map(\.version)
      XCTAssertEqual(versions.max(), version, "\(name): the present version has no golden form")
    }
  }

  func testAPropertyListKeepsTheSame() throws {
    let data = try PropertyListEncoder().encode(RetryPolicy.standard)
    let policy = try PropertyListDecoder().decode(RetryPolicy.self, from: data)
    XCTAssertEqual(try text(policy), try text(RetryPolicy.standard))
  }

  func testATimeBeyondWhatCanBeCountedIsWrittenAsTheLongest() throws {
    for (time, longest) in [
      (Duration.seconds(Int64.max) + .seconds(1), Duration.seconds(Int64.max)),
      (.zero - .seconds(Int64.max) - .seconds(9), .zero - .seconds(Int64.max)),
    ] {
      var policy = RetryPolicy.standard
      policy.deadline = time
      XCTAssertEqual(try read(text(policy), RetryPolicy.self).deadline, longest)
    }
  }

  func testWhatIsLeftOutHasItsDefault() throws {
    let policy: RetryPolicy = try read(#"{"version":1,"attempts":4,"deadline":2.5}"#)
    XCTAssertEqual(policy.attempts, 4)
    XCTAssertEqual(policy.deadline, .milliseconds(2500))
    XCTAssertEqual(policy.longestWait, RetryPolicy(attempts: 4).longestWait)
    let gate: NetworkGate = try read(#"{"version":1,"rule":{"wait":30}}"#)
    XCTAssertEqual(gate, .wait(upTo: .seconds(30)))
  }

  func testEveryCaseOfASettingComesBack() throws {
    func returns<Value: Codable>(_ values: [Value], line: UInt = #line) throws {
      for value in values {
        let form = try text(value)
        XCTAssertEqual(try text(read(form, Value.self)), form, line: line)
      }
      XCTAssertEqual(Set(try values.map { try text($0) }).count, values.count, line: line)
    }
    let age = Duration.seconds(9)
    try returns([
      CachePolicy.Rule.none, .fresh(age), .http, .cacheThenNetwork, .networkElseStale(age), .cacheOnly,
    ])
    try returns([
      TakeoffPolicy.Rule.concurrent, .ignoreNew, .cancelPrevious, .queue(limit: 3, overflow: .refuseNewest),
      .debounce(age), .throttle(age, .leading),
    ])
    try returns([TakeoffPolicy.Key.manager, .allParameters, .parameters(["a"])])
    try returns([NetworkGate.Rule.fly, .refuse, .wait(upTo: age)])
    try returns([RequestRate.Excess.wait(atMost: 2), .refuse])
    try returns([GroupPolicy.failFast, .settleAll, .quorum(2), .firstSuccess])
    try returns([PagingStrategy.pageNumber(), .offset(), .cursor(at: "next"), .link()])
    try returns([CookieJar.AcceptPolicy.always, .never, .firstParty(["a.test"])])
    try returns([RedirectPolicy.follow, .refuse, .sameOrigin])
    try returns([ProxyChoice.none, .system, .through(HTTPProxy(.http, host: "p.test", port: 1))])
    try returns([HTTPExchange.Destination.memory(), .file(path: "/f"), .stream])
    try returns([TLSPolicy.Trust.system, .systemAnd(.system), .bundle(path: "/b"), .certificates(pem: [1])])
    try returns([TLSPolicy.Pinning.none, .publicKey(PinSet([])), .certificate(PinSet([]))])
    try returns([CleartextPolicy.allowed, .loopback, .loopback(and: ["a.test"])])
    try returns([BusinessErrorRule.none, .code("status", success: "0", message: "text")])
    try returns([ReconnectPolicy.Unsent.drop, .keep(upTo: 1)])
  }

  func testWhatCannotBeReadIsNamed() throws {
    func fails<Value: Decodable & Sendable>(
      _ type: Value.Type, _ text: String, _ words: String, line: UInt = #line
    ) {
      XCTAssertThrowsError(try read(text, type), text, line: line) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unreadableForm, "\(error)", line: line)
        XCTAssertTrue((error as? APIError)?.detail.contains(words) == true, "\(error)", line: line)
      }
    }
    fails(RetryPolicy.self, "{}", "RetryPolicy has no version")
    fails(
      RetryPolicy.self, #"{"version":2}"#, "has the form 2; this version of the framework reads the form 1")
    fails(RetryPolicy.self, #"{"version":1,"tries":3}"#, #"no member "tries""#)
    fails(RetryPolicy.self, #"{"version":1,"attempts":"many"}"#, "attempts of RetryPolicy is not of its kind")
    fails(
      TransportConfiguration.self, #"{"version":1,"timeouts":{"version":1,"idle":"1"}}"#,
      "idle of HTTPTimeouts is not of its kind")
    fails(
      CachePolicy.self, #"{"version":1,"rule":{"fresh":"x"}}"#, #"the value of "fresh" is not of its kind"#)
    fails(GroupPolicy.self, #"{"quorum":"x"}"#, #"the value of "quorum" is not of its kind"#)
    // Numbers that the member cannot have.
    for number in ["1.5", "1e19", "18446744073709551615"] {
      fails(
        RequestRate.self, #"{"version":1,"requests":\#(number)}"#,
        "requests of RequestRate is not of its kind")
      fails(GroupPolicy.self, #"{"quorum":\#(number)}"#, #"the value of "quorum" is not of its kind"#)
      fails(SignInRule.self, number, "an object with one member is expected")
    }
    // Beyond what its components can hold.
    for pair in ["[9223372036854775807,9223372036854775807]", "[-9223372036854775808,-9223372036854775808]"] {
      fails(RetryPolicy.self, #"{"version":1,"deadline":\#(pair)}"#, "deadline of RetryPolicy")
    }
    fails(RetryPolicy.self, #"{"version":1,"deadline":1e300}"#, "beyond what can be counted")
    fails(CachePolicy.self, #"{"version":1,"rule":"forever"}"#, #""forever" is no"#)
    fails(CachePolicy.self, #"{"version":1,"rule":"fresh"}"#, "lacks its value")
    fails(CachePolicy.self, #"{"version":1,"levels":["tape"]}"#, "no level of a cache")
    fails(
      TransportConfiguration.self, #"{"version":1,"tls":{"version":1,"trust":{"a":1,"b":2}}}"#, "one member")
    fails(TransportConfiguration.self, #"{"version":1,"sealed":"AAAA"}"#, "give the decoder the sealingKey")
    // What has no default.
    fails(
      OAuthConfiguration.self, #"{"version":1,"tokenEndpoint":"https://a.test/"}"#,
      "OAuthConfiguration has no clientID")
    fails(
      OAuthConfiguration.self, #"{"version":1,"clientID":"a"}"#, "OAuthConfiguration has no tokenEndpoint")
    fails(HTTPProxy.self, #"{"version":1,"port":80}"#, "HTTPProxy has no host")
    fails(DiskCacheConfiguration.self, #"{"version":1}"#, "DiskCacheConfiguration has no folder")
    fails(PinSet.Host.self, #"{"version":1,"name":"a.test"}"#, "PinSet.Host has no pins")
    fails(GroupPolicy.self, #"{"all":1}"#, #""all" is no"#)
    fails(SignInRule.self, #""never""#, #""never" is no"#)
    fails(
      HTTPProxy.self, #"{"version":1,"login":{"user":"a","password":"b","scheme":"any"}}"#, "only read sealed"
    )
    fails(
      WrittenParameters.self, #"{"version":1,"pairs":[{"name":"a","value":{"blob":1}}]}"#, #""blob" is no"#)
  }

  func testWhatAClosureDoesIsNotWritten() throws {
    func fails(_ value: some Encodable, _ words: String, line: UInt = #line) {
      XCTAssertThrowsError(try text(value), words, line: line) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unwritableForm, "\(error)", line: line)
        XCTAssertTrue((error as? APIError)?.detail.contains(words) == true, "\(error)", line: line)
      }
    }
    fails(RedirectPolicy.rewriting { proposed, _ in proposed }, "rewrites redirects")
    fails(PinSet([], onMismatch: { _ in }), "onMismatch of PinSet")
    var configuration = TransportConfiguration.ephemeral
    configuration.logins = MemoryLoginStore()
    fails(configuration, "logins of TransportConfiguration")
    configuration = .debug
    configuration.tls.allowsInvalidCertificates = true
    fails(configuration, "allowsInvalidCertificates of TLSPolicy")
    fails(LoadOptions(inspectHead: { _, _ in }), "inspectHead of LoadOptions")
    fails(BusinessErrorRule.rule { _, _ in nil }, "finds errors")
    var rules = Authenticator.Rules()
    rules.attach = { _, _ in }
    fails(rules, "attach of Authenticator.Rules")
    rules = Authenticator.Rules()
    rules.isRefusal = { _ in false }
    fails(rules, "isRefusal of Authenticator.Rules")
    rules = Authenticator.Rules()
    rules.endsCredential = { _ in true }
    fails(rules, "endsCredential of Authenticator.Rules")
    var outbox = OutboxConfiguration()
    outbox.user = { _ in "1" }
    fails(outbox, "user of OutboxConfiguration")
    outbox = OutboxConfiguration()
    outbox.network = NetworkMonitor(watchesSystem: false)
    fails(outbox, "network of OutboxConfiguration")
    var transfers = TransferQueueConfiguration()
    transfers.user = { _ in "1" }
    fails(transfers, "user of TransferQueueConfiguration")
    transfers = TransferQueueConfiguration()
    transfers.network = NetworkMonitor(watchesSystem: false)
    fails(transfers, "network of TransferQueueConfiguration")
    fails(AdmissionOptions(network: NetworkMonitor(watchesSystem: false)), "network of AdmissionOptions")
    fails(AdmissionOptions(hosts: HostPool("a.test")), "hosts of AdmissionOptions")
    var decoding = RawData.DecodingOptions()
    decoding.userInfo[.sealingKey] = 1
    fails(decoding, "userInfo of RawData.DecodingOptions")
    XCTAssertThrowsError(try text(WrittenParameters(["no": Unwritable()]))) { error in
      XCTAssertEqual((error as? APIError)?.reason, .unencodableParameter)
    }
  }

  func testTheApplicationsOwnFolderIsNotWrittenAsAPath() throws {
    let standard = OutboxConfiguration()
    XCTAssertTrue(standard.folder.hasPrefix("/"))
    // It is another one after an update of the application, or for another user.
    XCTAssertFalse(try text(standard).contains(standard.folder))
    XCTAssertEqual(try read(text(standard), OutboxConfiguration.self).folder, standard.folder)
    let other = OutboxConfiguration(folder: "/elsewhere")
    XCTAssertEqual(try read(text(other), OutboxConfiguration.self).folder, "/elsewhere")
  }

  /// Writes the texts of the table of golden forms.
  func testWritesTheFormsForTheTable() throws {
    guard ProcessInfo.processInfo.environment["APIKIT_GOLDEN"] != nil else {
      throw XCTSkip("APIKIT_GOLDEN is not set")
    }
    for golden in GoldenForm.all { print("FORM \(golden.name) \(try golden.expected())") }
  }

  // MARK: Secrets

  private var secretive: TransportConfiguration {
    var configuration = TransportConfiguration.ephemeral
    configuration.headers["Authorization"] = "Bearer canary-1"
    configuration.proxy = .through(
      HTTPProxy(.http, host: "p.test", port: 3128, login: HTTPLogin(user: "canary-2", password: "canary-3")))
    configuration.tls.identity = .pem(
      certificate: .bytes(Array("canary-4".utf8)), key: .file(path: "/canary-5"), password: "canary-6")
    configuration.storageKey = SecretKey(bytes: Array("canary-7-canary-7-canary-7-canary".utf8))
    configuration.loadOptions = LoadOptions(
      login: HTTPLogin(user: "canary-8", password: "canary-9", scheme: .digest))
    return configuration
  }

  private let canaries =
    ["canary"] + (4...7).map { Base64.encode(Array("canary-\($0)".utf8)).dropLast(4) }.map { "\($0)" }

  func testSecretsAreWrittenSealedOrNotAtAll() throws {
    let written = String(decoding: try encoder(key).encode(secretive), as: UTF8.self)
    for canary in canaries { XCTAssertFalse(written.contains(canary), "\(canary) in \(written)") }
    let back = try decoder(key).decode(TransportConfiguration.self, from: Data(written.utf8))
    XCTAssertEqual(back.headers, secretive.headers)
    XCTAssertEqual(back.proxy, secretive.proxy)
    XCTAssertEqual(back.tls.identity, secretive.tls.identity)
    XCTAssertEqual(back.storageKey, secretive.storageKey)
    XCTAssertEqual(back.loadOptions.login, secretive.loadOptions.login)
    // Each of them alone, without a key.
    let secretive = secretive
    let changes: [(inout TransportConfiguration) -> Void] = [
      { $0.headers["Authorization"] = "Bearer x" }, { $0.proxy = secretive.proxy },
      { $0.tls.identity = secretive.tls.identity }, { $0.storageKey = secretive.storageKey },
      { $0.loadOptions = secretive.loadOptions },
    ]
    for change in changes {
      var configuration = TransportConfiguration.ephemeral
      XCTAssertNoThrow(try encoder().encode(configuration))
      change(&configuration)
      XCTAssertThrowsError(try encoder().encode(configuration)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unwritableForm)
        XCTAssertTrue(
          (error as? APIError)?.detail.contains("is secret; give the encoder a sealingKey") == true)
      }
    }
  }

  func testTheSecretsOfAClientAndOfUploadsAreSealed() throws {
    let endpoint: HTTPURL = "https://id.test/token"
    var configuration = OAuthConfiguration(clientID: "app", tokenEndpoint: endpoint)
    configuration.proof = .basic(secret: "canary-1")
    configuration.extraParameters = ["assertion_token": "canary-2"]
    configuration.revocationEndpoint = "https://id.test/revoke?api_key=canary-3"
    var tus = TusOptions()
    tus.metadata = ["filename": "a", "upload-token": "canary-4"]
    let transport: TransportConfiguration = {
      var configuration = TransportConfiguration.ephemeral
      configuration.dnsOverHTTPS = "https://dns.test/query?token=canary-5"
      return configuration
    }()
    let settings: [any Encodable] = [configuration, tus, transport]
    for setting in settings {
      XCTAssertThrowsError(try encoder().encode(setting)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unwritableForm)
      }
      let written = String(decoding: try encoder(key).encode(setting), as: UTF8.self)
      XCTAssertFalse(written.contains("canary"), written)
    }
    let back = try decoder(key).decode(OAuthConfiguration.self, from: encoder(key).encode(configuration))
    guard case .basic("canary-1") = back.proof else { return XCTFail("\(back.proof)") }
    XCTAssertEqual(back.clientID, "app")
    XCTAssertEqual(back.tokenEndpoint, endpoint)
    XCTAssertEqual(back.extraParameters, configuration.extraParameters)
    XCTAssertEqual(back.revocationEndpoint, configuration.revocationEndpoint)
    XCTAssertEqual(try decoder(key).decode(TusOptions.self, from: encoder(key).encode(tus)), tus)
    // Each secret alone is one.
    for change: (inout OAuthConfiguration) -> Void in [
      { $0.proof = .post(secret: "x") }, { $0.extraParameters = ["password": "x"] },
      { $0.tokenEndpoint = "https://id.test/?secret=x" },
    ] {
      var one = OAuthConfiguration(clientID: "app", tokenEndpoint: endpoint)
      XCTAssertNoThrow(try encoder().encode(one))
      change(&one)
      XCTAssertThrowsError(try encoder().encode(one))
      XCTAssertNoThrow(try encoder(key).encode(one))
    }
  }

  func testParametersComeBackWithTheirKindsAndTheirSecretsSealed() throws {
    let parameters: Parameters = [
      "city": "苏州", "beds": 3, "area": 0.1, "big": Double.infinity, "new": true,
      "since": Date(timeIntervalSinceReferenceDate: 0.1), "map": Data([0, 255]), "none": ParameterValue.null,
      "digits": ParameterValue.number("1.50"), "tags": ["a", "b"],
      "range": Parameters(["low": Int.min, "high": Int.max]),
    ]
    let open = try encoder().encode(WrittenParameters(parameters))
    let back = try decoder().decode(WrittenParameters.self, from: open).parameters
    XCTAssertEqual(back, parameters)
    XCTAssertEqual(back.names, parameters.names, "in order")
    let secret = parameters.merging(["filter": Parameters(["access_token": "canary"])])
    XCTAssertThrowsError(try encoder().encode(WrittenParameters(secret)))
    let sealed = try encoder(key).encode(WrittenParameters(secret))
    XCTAssertFalse(String(decoding: sealed, as: UTF8.self).contains("canary"))
    XCTAssertFalse(String(decoding: sealed, as: UTF8.self).contains("city"), "they are sealed together")
    XCTAssertEqual(try decoder(key).decode(WrittenParameters.self, from: sealed).parameters, secret)
  }

  func testASecretInAListOfNamesAndValuesIsSealed() throws {
    for name in ["name", "key"] {
      let pair: Parameters = [name: "password", "value": "canary"]
      let secret: Parameters = ["fields": ParameterValue.array([.object(pair)])]
      XCTAssertThrowsError(try encoder().encode(WrittenParameters(secret)))
      let sealed = try encoder(key).encode(WrittenParameters(secret))
      XCTAssertFalse(String(decoding: sealed, as: UTF8.self).contains("canary"))
      XCTAssertEqual(try decoder(key).decode(WrittenParameters.self, from: sealed).parameters, secret)
    }
    XCTAssertNoThrow(try encoder().encode(WrittenParameters(["name": "city", "value": "Suzhou"])))
    XCTAssertNoThrow(try encoder().encode(WrittenParameters(["name": "password"])), "without a value")
  }

  func testWhatWasSealedOpensOnlyWhereItBelongs() throws {
    let sealed = try encoder(key).encode(secretive.proxy)
    XCTAssertNoThrow(try decoder(key).decode(ProxyChoice.self, from: sealed))
    func fails(_ data: Data, _ key: SecretKey?, _ words: String, line: UInt = #line) {
      XCTAssertThrowsError(try decoder(key).decode(ProxyChoice.self, from: data), line: line) { error in
        XCTAssertTrue((error as? APIError)?.detail.contains(words) == true, "\(error)", line: line)
      }
    }
    fails(sealed, nil, "give the decoder the sealingKey")
    fails(sealed, SecretKey(bytes: [UInt8](repeating: 1, count: 32)), "was sealed under another key")
    fails(sealed, SecretKey("short"), "32 bytes")
    // The secrets of another kind of setting.
    let options = try encoder(key).encode(secretive.loadOptions)
    let theirs = try XCTUnwrap(try RawData(parsing: [UInt8](options)).sealed.string)
    let moved = #"{"through":{"version":1,"host":"p.test","port":1,"sealed":"\#(theirs)"}}"#
    fails(Data(moved.utf8), key, "was damaged, or belongs elsewhere")
    // A member that the form does not have.
    let seal = try XCTUnwrap(MemberSeal(of: "HTTPProxy", [.sealingKey: key]))
    let strange = try XCTUnwrap(seal.seal { try $0.encode(1, forKey: FormName("strange")) })
    let unknown = #"{"through":{"version":1,"host":"p.test","port":1,"sealed":"\#(strange)"}}"#
    fails(Data(unknown.utf8), key, #"no member "strange""#)
    var changed = [UInt8](sealed)
    let place = try XCTUnwrap(String(decoding: sealed, as: UTF8.self).range(of: "QVBJS"))
    let index = String(decoding: sealed, as: UTF8.self)[..<place.lowerBound].utf8.count + 30
    changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
    fails(Data(changed), key, "what is sealed of HTTPProxy")
  }
}

/// A value that no encoder can write.
private struct Unwritable: Encodable {
  private struct Refusal: Error {}

  func encode(to encoder: any Encoder) throws { throw Refusal() }
}
