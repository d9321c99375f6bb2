public import APIKit

/// The open columns of an exchange in an ``ExchangeStore``, which are readable without the key.
public struct KeptExchange: Sendable, Hashable, Identifiable {
  /// Its number in the database; later exchanges have larger ones.
  public let id: Int64
  /// The launch of the process that kept it. The numbers of flights start again in each launch.
  public let launch: String
  /// Its number within the launch.
  let number: Int64
  /// The time at which it began, in seconds since 1970.
  public let secondsSince1970: Double
  /// The duration.
  public let duration: Duration
  /// The flight, within its launch; nil for an exchange of no load.
  public let flight: FlightID?
  /// The service's name; nil when unknown.
  public let service: String?
  /// The API as its manager states it; nil when unknown.
  public let apiName: String?
  /// The method.
  public let method: HTTPMethod
  /// The host.
  public let host: String
  /// The path without the query; the secrets that its endpoint names are masked.
  public let path: String
  /// The status; nil if no head of a response arrived.
  public let status: Int?
  /// The `APIError.label` of a failure; nil when the exchange succeeded.
  public let failure: String?
  /// The size of the request's body; nil when unknown.
  public let bytesSent: Int64?
  /// The size of the response's body; nil when unknown.
  public let bytesReceived: Int64?
  /// What stands for its user: a digest of the name; empty where the load had no credential, or one that names nobody.
  let user: String

  /// Whether this process has kept it in its present launch.
  public var isOfThisLaunch: Bool { launch == Self.presentLaunch }

  static let presentLaunch = Nonce.make()

  /// Authenticated with the content, which does not open beside other columns.
  var place: String {
    "\(launch) \(number) \(method) \(host) \(path) \(status ?? 0) \(failure ?? "") \(service ?? "") \(apiName ?? "")"
      + (user.isEmpty ? "" : " \(user)")
  }

  /// What stands for a user in the database and in the names of marks.
  static func tag(of user: String?) -> String { user.map { Crypto.digest(of: [$0]) } ?? "" }
}

extension KeptExchange {
  init(_ row: SQLiteStatement) {
    func text(_ column: Int32) -> String? { row.text(column).flatMap { $0.isEmpty ? nil : $0 } }
    func size(_ column: Int32) -> Int64? { row.integer(column) < 0 ? nil : row.integer(column) }
    id = row.integer(0)
    launch = row.text(1) ?? ""
    number = row.integer(2)
    secondsSince1970 = row.double(3)
    // A damaged column may have any number, also one that is no duration.
    duration = .seconds(1) * min(max(0, row.double(4)), 1e9)
    flight = row.integer(5) > 0 ? FlightID(rawValue: UInt64(row.integer(5))) : nil
    (service, apiName) = (text(6), text(7))
    method = HTTPMethod(rawValue: row.text(8) ?? "")
    (host, path) = (row.text(9) ?? "", row.text(10) ?? "")
    status = row.integer(11) > 0 ? Int(row.integer(11)) : nil
    failure = text(12)
    (bytesSent, bytesReceived) = (size(13), size(14))
    user = row.text(15) ?? ""
  }
}

/// An exchange as it is written: its columns, and the entry of an archive that is sealed.
struct ExchangeRow: Sendable {
  /// What a row has beside its content, in bytes; about.
  static let overhead = 300

  let exchange: KeptExchange
  let content: [UInt8]

  init(_ waiting: ExchangeStore.Waiting) {
    let mask = SecretMask()
    let (sent, result) = (waiting.sent.readingFile(), waiting.result.map { $0.readingFile() })
    var entry = sent.entry(of: result, size: waiting.size, mask: mask, bodyLimit: ExchangeArchive.bodyLimit)
    if let cut = waiting.cut { entry.failure = cut.label }
    content = entry.tree.compactBytes
    exchange = KeptExchange(
      id: 0, launch: KeptExchange.presentLaunch, number: waiting.number,
      secondsSince1970: entry.secondsSince1970, duration: sent.took,
      flight: entry.flight.map { FlightID(rawValue: $0) }, service: entry.service, apiName: entry.apiName,
      method: entry.request.method, host: sent.host, path: Self.path(of: entry.request.url),
      status: entry.response?.status, failure: entry.failure, bytesSent: entry.request.body.size,
      bytesReceived: entry.response?.body.size, user: KeptExchange.tag(of: waiting.user))
  }

  /// The path of a URL whose secrets are masked.
  static func path(of url: String) -> String {
    let rest = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard rest.count == 4, rest[1].isEmpty else { return "/" }
    return "/" + rest[3].prefix { $0 != "?" && $0 != "#" }
  }
}
