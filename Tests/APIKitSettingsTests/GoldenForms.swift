@testable import APIKitSettings
import Foundation

@testable import APIKit

/// A setting as some version of the framework wrote it: it is read for ever.
///
/// A new form or version gets a text here; one that is here is never changed.
struct GoldenForm: Sendable {
  let name: String
  let version: Int
  let text: String
  /// The text read and written again.
  let rewritten: @Sendable () throws -> String
  /// The value that was meant, written.
  let expected: @Sendable () throws -> String

  init<Value: Codable & Sendable>(_ name: String, _ value: Value, _ text: String, version: Int = 1) {
    (self.name, self.version, self.text) = (name, version, text)
    rewritten = { try Self.text(JSONDecoder().decode(Value.self, from: Data(text.utf8))) }
    expected = { try Self.text(value) }
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static let retry: RetryPolicy = {
    var policy = RetryPolicy(attempts: 3, deadline: .seconds(60))
    policy.table = RetryTable()
    policy.table[status: 503] = .retry("busy")
    policy.table[.unknownHost] = .retryAny("names")
    policy.idempotencyKeyField = "Idempotency-Key"
    return policy
  }()
  private static let pins = PinSet([
    PinSet.Host(
      "a.test", includesSubdomains: true,
      pins: [(try? PinSet.Pin(digest: [UInt8](0..<32))).unsafelyUnwrapped],  // 32 bytes.
      expires: Date(timeIntervalSince1970: 2_000_000_000))
  ])
  private static let tls: TLSPolicy = {
    var policy = TLSPolicy()
    policy.minimumVersion = .tls1_3
    policy.trust = .systemAnd(.bundle(path: "/ca.pem"))
    policy.pinning = .publicKey(pins)
    return policy
  }()
  private static let interfaces: InterfacePolicy = {
    var policy = InterfacePolicy()
    policy.allowsCellular = false
    policy.serviceType = .video
    return policy
  }()
  private static let headers: HTTPHeaders = ["Accept": "application/json"]
  private static let proxy = HTTPProxy(.socks5, host: "p.test", port: 1080, exceptions: [".b.test"])
  private static let options = LoadOptions(
    destination: .file(path: "/f", maximumBytes: 9), compressesBody: true, cookieDocument: "https://a.test/",
    timeouts: HTTPTimeouts(idle: .seconds(5)))
  private static let configuration: TransportConfiguration = {
    var configuration = TransportConfiguration()
    configuration.headers = headers
    configuration.timeouts = HTTPTimeouts(connect: .seconds(15), idle: .milliseconds(1500), total: .zero)
    configuration.connections = ConnectionLimits(perHost: 6, total: 12)
    configuration.proxy = .through(proxy)
    configuration.tls = tls
    configuration.cleartext = .loopback(and: ["c.test"])
    configuration.interfaces = interfaces
    configuration.loadOptions = options
    configuration.dnsOverHTTPS = "https://1.1.1.1/dns-query"
    configuration.unixSocketPath = "/s"
    configuration.versions = .http1Only
    configuration.persistence = .memory
    return configuration
  }()
  private static let cache: CachePolicy = {
    var policy = CachePolicy(.networkElseStale(.seconds(3600)), in: .disk)
    policy.defaultLifetime = .seconds(60)
    return policy.stored(as: ["image/*", "text/plain"])
  }()
  private static let redirects: RedirectPolicy = {
    var policy = RedirectPolicy.sameOrigin
    policy.limit = 5
    return policy
  }()
  private static let parameters: Parameters = [
    "city": "a", "beds": 3, "area": 0.5, "new": true, "since": Date(timeIntervalSinceReferenceDate: 60.25),
    "map": Data([1, 2]), "none": ParameterValue.null, "tags": ["x"], "in": Parameters(["low": 1]),
  ]

  static let all: [GoldenForm] = general + settings

  private static let general: [GoldenForm] = [
    GoldenForm(
      "RetryPolicy", retry,
      #"{"attempts":3,"backoff":{"floor":0,"initial":0.2,"isJittered":true,"maximum":20,"multiplier":2,""#
        + #"version":1},"deadline":60,"drawsOnBudget":true,"hedgesSlowReads":false,"honoursRetryAfter":true,"#
        + #""idempotencyKeyField":"Idempotency-Key","longestWait":60,"table":{"reasons":{"unknown-host":{"is"#
        + #"On":true,"provesNothingSent":true,"version":1,"why":"names"}},"statuses":{"503":{"isOn":true,"pr"#
        + #"ovesNothingSent":false,"version":1,"why":"busy"}},"version":1},"version":1}"#),
    GoldenForm(
      "Backoff", Backoff.constant(.milliseconds(1500)),
      #"{"floor":0,"initial":1.5,"isJittered":false,"maximum":1.5,"multiplier":1,"version":1}"#),
    GoldenForm(
      "RetryTable", retry.table,
      #"{"reasons":{"unknown-host":{"isOn":true,"provesNothingSent":true,"version":1,"why":"names"}},"st"#
        + #"atuses":{"503":{"isOn":true,"provesNothingSent":false,"version":1,"why":"busy"}},"version":1}"#),
    GoldenForm(
      "RetryTable.Row", RetryTable.Row.leave("as ever"),
      #"{"isOn":false,"provesNothingSent":false,"version":1,"why":"as ever"}"#),
    GoldenForm(
      "BreakerPolicy", BreakerPolicy.standard,
      #"{"failureRatio":0.5,"maximumOpenInterval":120,"minimumAttempts":10,"openInterval":5,"probes":1,""#
        + #"scope":"host","version":1,"window":30}"#),
    GoldenForm(
      "HostLimits", HostLimits(attemptsPerHost: 4),
      #"{"ageing":2,"attemptsPerHost":4,"version":1}"#),
    GoldenForm(
      "RequestRate", RequestRate(100, per: .seconds(60), scope: .api, excess: .refuse),
      #"{"excess":"refuse","interval":60,"requests":100,"scope":"api","version":1}"#),
    GoldenForm(
      "RequestRate", RequestRate.unlimited,
      #"{"excess":{"wait":1000},"interval":1,"requests":9223372036854775807,"scope":"service","version":"#
        + #"1}"#),
    GoldenForm(
      "NetworkGate", NetworkGate.wait(upTo: .seconds(30)).unmetered,
      #"{"allowsConstrained":true,"allowsExpensive":false,"rule":{"wait":30},"version":1}"#),
    GoldenForm(
      "CachePolicy", cache,
      #"{"defaultLifetime":60,"levels":["disk"],"mediaTypes":["image/*","text/plain"],"rule":{"networkEl"#
        + #"seStale":3600},"version":1}"#),
    GoldenForm(
      "CachePolicy", CachePolicy.fresh(),
      #"{"defaultLifetime":null,"levels":["memory","disk"],"mediaTypes":[],"rule":{"fresh":180},"version"#
        + #"":1}"#),
    GoldenForm(
      "DiskCacheConfiguration", DiskCacheConfiguration(folder: "/c"),
      #"{"bodyFileThreshold":65536,"encryptionKey":null,"folder":"/c","maximumBytes":268435456,"version""#
        + #":1}"#),
    GoldenForm(
      "TakeoffPolicy", TakeoffPolicy.throttle(.seconds(1), .both).keyed(by: "id"),
      #"{"key":{"parameters":["id"]},"rule":{"throttle":{"edge":"both","interval":1}},"version":1}"#),
    GoldenForm(
      "TakeoffPolicy", TakeoffPolicy.queue(limit: 3, overflow: .cancelOldest).keyed(),
      #"{"key":"allParameters","rule":{"queue":{"limit":3,"overflow":"cancelOldest"}},"version":1}"#),
    GoldenForm(
      "RedirectPolicy", redirects,
      #"{"allowsDowngrade":false,"limit":5,"publicHeaders":["If-Range","Last-Event-ID","Range"],"rule":"sameO"#
        + #"rigin","version":1}"#),
    GoldenForm(
      "HTTPHeaders", headers,
      #"{"fields":[["Accept","application/json"]],"version":1}"#),
    GoldenForm(
      "HTTPTimeouts", HTTPTimeouts(connect: .nanoseconds(1), idle: nil, total: .zero),
      #"{"connect":1e-09,"idle":null,"total":0,"version":1}"#),
    GoldenForm(
      "HTTPProxy", proxy,
      #"{"exceptions":[".b.test"],"host":"p.test","kind":"socks5","login":null,"port":1080,"version":1}"#),
    GoldenForm(
      "ConnectionLimits", ConnectionLimits(perHost: 2),
      #"{"perHost":2,"total":null,"version":1}"#),
    GoldenForm(
      "InterfacePolicy", interfaces,
      #"{"allowsCellular":false,"allowsConstrained":true,"allowsExpensive":true,"isDiscretionary":false,"#
        + #""serviceType":"video","version":1}"#),
    GoldenForm(
      "TLSPolicy", tls,
      #"{"identity":null,"minimumVersion":"TLS 1.3","pinning":{"publicKey":{"hosts":[{"expires":20000000"#
        + #"00,"includesSubdomains":true,"name":"a.test","pins":["sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk"#
        + #"aGxwdHh8="],"replacesChain":false,"version":1}],"isReportOnly":false,"version":1}},"trust":{"sys"#
        + #"temAnd":{"bundle":"/ca.pem"}},"version":1}"#),
    GoldenForm(
      "PinSet", pins,
      #"{"hosts":[{"expires":2000000000,"includesSubdomains":true,"name":"a.test","pins":["sha256/AAECAw"#
        + #"QFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],"replacesChain":false,"version":1}],"isReportOnly":fals"#
        + #"e,"version":1}"#),
    GoldenForm(
      "PinSet.Host", pins.hosts[0],
      #"{"expires":2000000000,"includesSubdomains":true,"name":"a.test","pins":["sha256/AAECAwQFBgcICQoL"#
        + #"DA0ODxAREhMUFRYXGBkaGxwdHh8="],"replacesChain":false,"version":1}"#),
    GoldenForm(
      "LoadOptions", options,
      #"{"allowsCellular":null,"allowsConstrained":null,"allowsExpensive":null,"compressesBody":true,"co"#
        + #"nnectTo":null,"cookieDocument":"https://a.test/","destination":{"file":{"maximumBytes":9,"path":"#
        + #""/f"}},"expectsContinue":null,"login":null,"serviceType":null,"timeouts":{"connect":null,"idle":"#
        + #"5,"total":null,"version":1},"usesCookies":null,"version":1}"#),
    GoldenForm(
      "TransportConfiguration", configuration,
      #"{"cacheFollowsNetwork":false,"cleartext":{"loopback":["c.test"]},"connections":{"perHost":6,"tot"#
        + #"al":12,"version":1},"dnsOverHTTPS":"https://1.1.1.1/dns-query","headers":{"fields":[["Accept","a"#
        + #"pplication/json"]],"version":1},"ignoresCaches":false,"interfaces":{"allowsCellular":false,"allo"#
        + #"wsConstrained":true,"allowsExpensive":true,"isDiscretionary":false,"serviceType":"video","versio"#
        + #"n":1},"loadOptions":{"allowsCellular":null,"allowsConstrained":null,"allowsExpensive":null,"comp"#
        + #"ressesBody":true,"connectTo":null,"cookieDocument":"https://a.test/","destination":{"file":{"max"#
        + #"imumBytes":9,"path":"/f"}},"expectsContinue":null,"login":null,"serviceType":null,"timeouts":{"c"#
        + #"onnect":null,"idle":5,"total":null,"version":1},"usesCookies":null,"version":1},"maximumDecodedB"#
        + #"ytes":1073741824,"persistence":"memory","proxy":{"through":{"exceptions":[".b.test"],"host":"p.t"#
        + #"est","kind":"socks5","login":null,"port":1080,"version":1}},"storageKey":"keychain","timeouts":{"#
        + #""connect":15,"idle":1.5,"total":0,"version":1},"tls":{"identity":null,"minimumVersion":"TLS 1.3""#
        + #","pinning":{"publicKey":{"hosts":[{"expires":2000000000,"includesSubdomains":true,"name":"a.test"#
        + #"","pins":["sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],"replacesChain":false,"version""#
        + #":1}],"isReportOnly":false,"version":1}},"trust":{"systemAnd":{"bundle":"/ca.pem"}},"version":1},"#
        + #""unixSocketPath":"/s","version":1,"versions":"http1Only"}"#),
    GoldenForm(
      "Parameters", WrittenParameters(parameters),
      #"{"pairs":[{"name":"city","value":{"string":"a"}},{"name":"beds","value":{"integer":3}},{"name":""#
        + #"area","value":{"double":"0.5"}},{"name":"new","value":{"bool":true}},{"name":"since","value":{"d"#
        + #"ate":"60.25"}},{"name":"map","value":{"data":"AQI="}},{"name":"none","value":"null"},{"name":"ta"#
        + #"gs","value":{"array":[{"string":"x"}]}},{"name":"in","value":{"object":[{"name":"low","value":{""#
        + #"integer":1}}]}}],"version":1}"#),
  ]
}
