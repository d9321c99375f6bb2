@testable import APIKitSettings
@testable import APIKitGroups
@testable import APIKitPaging
import Foundation

@testable import APIKit
import APIKitOAuth
@testable import APIKitTransfers
@testable import APIKitSockets

extension GoldenForm {
  private static let socket: SocketOptions = {
    var options = SocketOptions()
    options.maximumMessageBytes = 1 << 20
    options.pingInterval = nil
    options.compressionBits = 15
    return options
  }()
  private static let reconnection: ReconnectPolicy = {
    var policy = ReconnectPolicy.standard
    policy.unsent = .keep(upTo: 4096)
    policy.table = RetryTable()
    policy.table[status: 503] = .retry("busy")
    return policy
  }()
  private static let conditions = CacheConditionTable([.offline: .storedOnly, .expensive: .stored])
  private static let signIn: Authenticator.Rules = {
    var rules = Authenticator.Rules()
    rules.account = "work"
    rules.leeway = .seconds(90)
    rules.needsRefreshToken = false
    return rules
  }()
  private static let client: OAuthConfiguration = {
    var configuration = OAuthConfiguration(
      clientID: "app", authorizationEndpoint: "https://id.test/authorize",
      tokenEndpoint: "https://id.test/token", scopes: ["read", "write"])
    configuration.issuer = "https://id.test"
    configuration.extraParameters = ["audience": "api"]
    return configuration
  }()
  private static let admission: AdmissionOptions = {
    var retry = RetryPolicy(attempts: 2)
    retry.table = RetryTable()
    return AdmissionOptions(
      retryPolicy: retry, networkGate: .wait(upTo: .seconds(5)), hostLimits: HostLimits(attemptsPerHost: 2))
  }()
  private static let decoding: RawData.DecodingOptions = {
    var options = RawData.DecodingOptions()
    options.keys = .snakeCase
    options.dates = .epochMilliseconds
    return options
  }()
  private static let outbox: OutboxConfiguration = {
    var configuration = OutboxConfiguration()
    configuration.lifetime = .seconds(86_400)
    configuration.idempotencyKeyField = "X-Key"
    configuration.keepsItemsAtSignOut = true
    return configuration
  }()
  private static let transfers: TransferQueueConfiguration = {
    var configuration = TransferQueueConfiguration(folder: "/t")
    configuration.concurrency = 2
    configuration.sessionIdentifier = nil
    configuration.session = session
    return configuration
  }()
  private static let session: BackgroundSessionOptions = {
    var options = BackgroundSessionOptions.background
    options.proxy = .none
    options.sharedContainerIdentifier = "group.homes"
    return options
  }()
  private static let tus: TusOptions = {
    var options = TusOptions()
    options.partBytes = 1 << 20
    options.sendsChecksums = true
    options.metadata = ["filename": "a.jpg"]
    options.otherOrigins = ["https://uploads.test"]
    return options
  }()

  /// The forms of the settings that have no place in another's.
  static let settings: [GoldenForm] = [
    GoldenForm(
      "SocketOptions", socket,
      #"{"closeLimit":10,"compressesFrom":1024,"compressionBits":15,"maximumMessageBytes":1048576,"maxim"#
        + #"umQueuedBytes":16777216,"openLimit":10,"pingInterval":null,"pingLimit":20,"version":1}"#),
    GoldenForm(
      "ReconnectPolicy", reconnection,
      #"{"attempts":9223372036854775807,"backoff":{"floor":0,"initial":1,"isJittered":true,"maximum":60,"#
        + #""multiplier":2,"version":1},"longestWait":300,"stableAfter":60,"table":{"reasons":{},"statuses":"#
        + #"{"503":{"isOn":true,"provesNothingSent":false,"version":1,"why":"busy"}},"version":1},"unsent":{"#
        + #""keep":4096},"version":1}"#),
    GoldenForm(
      "GroupPolicy", GroupPolicy.quorum(2),
      #"{"quorum":2}"#),
    GoldenForm(
      "GroupPolicy", GroupPolicy.failFast,
      #""failFast""#),
    GoldenForm(
      "PagingStrategy.pageNumber", PagingStrategy.Numbers(name: "p", size: nil, first: 0),
      #"{"first":0,"name":"p","size":null,"version":1}"#),
    GoldenForm(
      "PagingStrategy.offset", PagingStrategy.Offset(name: "from", limit: "count"),
      #"{"limit":"count","name":"from","version":1}"#),
    GoldenForm(
      "PagingStrategy.cursor", PagingStrategy.Cursor(path: "next", previous: "back"),
      #"{"at":"next","name":"cursor","previous":"back","size":"limit","version":1}"#),
    GoldenForm(
      "PagingStrategy.link", PagingStrategy.Link(),
      #"{"size":"per_page","version":1}"#),
    GoldenForm(
      "Paging",
      Paging(
        .cursor("after", at: "meta.next", size: nil), items: "results", id: "id", pageSize: 50,
        prefetchDistance: 0),
      #"{"id":"id","items":"results","maximumPages":1000,"prefetchDistance":0,"size":50,"strategy":{"cur"#
        + #"sor":{"at":"meta.next","name":"after","previous":null,"size":null,"version":1}},"total":null,"ve"#
        + #"rsion":1}"#),
    GoldenForm(
      "Paging", Paging(.pageNumber(first: 0), items: "[0].rows", prefetchDistance: 0),
      #"{"id":null,"items":"[0].rows","maximumPages":1000,"prefetchDistance":0,"size":20,"strategy":{"pa"#
        + #"geNumber":{"first":0,"name":"page","size":"per_page","version":1}},"total":null,"version":1}"#),
    GoldenForm(
      "Paging", Paging(.offset(), items: "rows", prefetchDistance: 0),
      #"{"id":null,"items":"rows","maximumPages":1000,"prefetchDistance":0,"size":20,"strategy":{"offset"#
        + #"":{"limit":"limit","name":"offset","version":1}},"total":null,"version":1}"#),
    GoldenForm(
      "Paging", Paging(.link(), items: "", prefetchDistance: 0),
      #"{"id":null,"items":"","maximumPages":1000,"prefetchDistance":0,"size":20,"strategy":{"link":{"si"#
        + #"ze":"per_page","version":1}},"total":null,"version":1}"#),
    GoldenForm(
      "CacheTraits", CacheTraits(tags: ["rents"], expires: ["offers"], version: 3, volatileParameters: ["t"]),
      #"{"expires":["offers"],"isSensitive":false,"storedVersion":3,"tags":["rents"],"version":1,"volati"#
        + #"leParameters":["t"]}"#),
    GoldenForm(
      "CacheConditionTable", conditions,
      #"{"expensive":"stored","offline":"storedOnly","unrestricted":"asPolicy","version":1}"#),
    GoldenForm(
      "SignInRule", SignInRule.required,
      #""required""#),
    GoldenForm(
      "Authenticator.Rules", signIn,
      #"{"account":"work","leeway":90,"needsRefreshToken":false,"renewalLimit":30,"version":1}"#),
    GoldenForm(
      "OAuthConfiguration", client,
      #"{"authorizationEndpoint":"https://id.test/authorize","clientID":"app","deviceEndpoint":null,"ext"#
        + #"raParameters":{"pairs":[{"name":"audience","value":{"string":"api"}}],"version":1},"issuer":"htt"#
        + #"ps://id.test","proof":"none","requiresIssuer":false,"revocationEndpoint":null,"scopes":["read",""#
        + #"write"],"tokenEndpoint":"https://id.test/token","version":1}"#),
    GoldenForm(
      "AdmissionOptions", admission,
      #"{"breaker":null,"hostLimits":{"ageing":2,"attemptsPerHost":2,"version":1},"networkGate":{"allows"#
        + #"Constrained":true,"allowsExpensive":true,"rule":{"wait":5},"version":1},"requestRate":{"excess":"#
        + #"{"wait":1000},"interval":1,"requests":9223372036854775807,"scope":"service","version":1},"retryP"#
        + #"olicy":{"attempts":2,"backoff":{"floor":0,"initial":0.2,"isJittered":true,"maximum":20,"multipli"#
        + #"er":2,"version":1},"deadline":null,"drawsOnBudget":true,"hedgesSlowReads":false,"honoursRetryAft"#
        + #"er":true,"idempotencyKeyField":null,"longestWait":60,"table":{"reasons":{},"statuses":{},"versio"#
        + #"n":1},"version":1},"version":1}"#),
    GoldenForm(
      "BusinessErrorRule", BusinessErrorRule.code("status.code", success: "0", "ok", message: "msg"),
      #"{"code":{"message":"msg","path":"status.code","success":["0","ok"]}}"#),
    GoldenForm(
      "CookieJar.Limits", CookieJar.Limits(perDomain: 10, total: 100),
      #"{"perDomain":10,"total":100,"version":1}"#),
    GoldenForm(
      "CookieJar.AcceptPolicy", CookieJar.AcceptPolicy.firstParty(["a.test"]),
      #"{"firstParty":["a.test"]}"#),
    GoldenForm(
      "RawData.Limits", RawData.Limits(maximumDepth: 64, maximumBytes: 1 << 20),
      #"{"maximumBytes":1048576,"maximumDepth":64,"version":1}"#),
    GoldenForm(
      "RawData.DecodingOptions", decoding,
      #"{"dates":"epochMilliseconds","keys":"snakeCase","version":1}"#),
    GoldenForm(
      "OutboxConfiguration", outbox,
      #"{"backoff":{"floor":0,"initial":1,"isJittered":true,"maximum":300,"multiplier":2,"version":1},"c"#
        + #"oncurrency":4,"folder":null,"idempotencyKeyField":"X-Key","keepsItemsAtSignOut":true,"lifetime":"#
        + #"86400,"maximumAttempts":20,"maximumBytes":1073741824,"maximumItems":100000,"storageKey":"keychain","version":1}"#
    ),
    GoldenForm(
      "TransferQueueConfiguration", transfers,
      #"{"backoff":{"floor":0,"initial":1,"isJittered":true,"maximum":300,"multiplier":2,"version":1},"c"#
        + #"oncurrency":2,"folder":"/t","keepsItemsAtSignOut":false,"lifetime":null,"maximumAttempts":20,"ma"#
        + #"ximumBytes":4294967296,"maximumItems":10000,"session":{"connectionsPerHost":2,"isDiscretionary":true,"#
        + #""limit":3600,"minimumTLS":"TLS 1.2","proxy":"none","sharedContainerIdentifier":"group.homes","#
        + #""version":1},"sessionIdentifier":null,"storageKey":"keychain","version":1}"#
    ),
    GoldenForm(
      "BackgroundSessionOptions", session,
      #"{"connectionsPerHost":2,"isDiscretionary":true,"limit":3600,"minimumTLS":"TLS 1.2","proxy":"none","#
        + #""sharedContainerIdentifier":"group.homes","version":1}"#),
    GoldenForm(
      "TusOptions", tus,
      #"{"journalFolder":null,"metadata":{"filename":"a.jpg"},"otherOrigins":["https://uploads.test"],"p"#
        + #"artBytes":1048576,"sendsChecksums":true,"sendsWithCreation":false,"version":1}"#),
    GoldenForm(
      "TracePolicy", TracePolicy.sentEverywhere,
      #""sentEverywhere""#),
    GoldenForm(
      "CleartextPolicy", CleartextPolicy.allowed,
      #""allowed""#),
    GoldenForm(
      "HTTPVersionPolicy", HTTPVersionPolicy.upToHTTP3,
      #""upToHTTP3""#),
  ]
}
