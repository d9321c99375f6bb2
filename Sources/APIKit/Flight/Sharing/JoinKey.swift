/// The properties in which two loads must be equal for one wire call to serve both.
///
/// Taken before signing, so that times and nonces do not keep loads apart. All header fields count, those
/// with credentials among them: no user gets a response that was given to another. A class, because every load that waits
/// keeps one.
final class JoinKey: Hashable, Sendable {
  private let manager: ObjectIdentifier
  private let service: String
  private let method: HTTPMethod
  private let url: HTTPURL
  private let headers: HTTPHeaders
  private let timeouts: HTTPTimeouts
  /// The expectation by which the response is judged.
  private let expectation: ResponseExpectation.Identity?
  /// The latest change of its URL and its tags: what was asked before is out of date.
  private let change: UInt64
  /// On whose behalf the flights go, which is not on the request yet.
  private let caller: LoadIdentity
  private let dependents: LoadDependents

  /// Nil for a load that must make its own call.
  static func of(_ call: APICall, _ request: HTTPRequest, in shared: SharedState) -> JoinKey? {
    guard call.terms.joinsIdenticalFlights, request.method.isSafe, request.body.isEmpty,
      !call.terms.wantsProgress, call.options.mayBeShared
    else { return nil }
    let caller = LoadIdentity(call)
    return caller.isKnown ? JoinKey(call, request, in: shared, caller: caller) : nil
  }

  private init(_ call: APICall, _ request: HTTPRequest, in shared: SharedState, caller: LoadIdentity) {
    self.caller = caller
    dependents = LoadDependents(call)
    manager = ObjectIdentifier(call.managerType)
    service = call.service.name
    method = request.method
    url = request.url
    headers = request.headers
    timeouts = request.timeouts
    expectation = call.terms.expectation.identity
    change = shared.latestChange(tags: call.terms.caching.traits.tags, url: request.url)
  }

  static func == (left: JoinKey, right: JoinKey) -> Bool {
    left === right
      || left.manager == right.manager && left.url == right.url && left.headers == right.headers
        && left.caller == right.caller && left.service == right.service && left.method == right.method
        && left.change == right.change && left.timeouts == right.timeouts
        && left.expectation == right.expectation && left.dependents == right.dependents
  }

  /// The rest differs rarely where these are equal.
  func hash(into hasher: inout Hasher) {
    hasher.combine(manager)
    hasher.combine(url)
    hasher.combine(headers)
    hasher.combine(caller)
  }
}

/// What waits for a load: the failures that it helps to resolve, the sign-ins and renewals that it is part of, the list of
/// its pool's servers.
///
/// It must not wait for a call that waits for one of these, so loads share a call or a batch only where it is equal.
struct LoadDependents: Hashable, Sendable {
  private let resolving: [String]
  private let renews: Set<ObjectIdentifier>
  private let listsHosts: Bool

  init(_ call: APICall) {
    resolving = call.resolving.map(\.manager)
    renews = call.renews
    listsHosts = call.listsHosts
  }
}

extension ResponseExpectation {
  /// The parts by which expectations are compared; a decoder of the application's own counts by its properties.
  struct Identity: Hashable, Sendable {
    let statuses: Range<Int>
    let contentTypes: Set<String>
    let requiresBody: Bool
    let format: String
    let shape: String
  }

  /// Nil for what most loads accept.
  var identity: Identity? {
    if case .automatic = format, statuses == 200..<300, contentTypes.isEmpty, !requiresBody,
      shape.paths.isEmpty
    {
      return nil
    }
    return Identity(
      statuses: statuses, contentTypes: contentTypes, requiresBody: requiresBody, format: format.identity,
      shape: shape.paths.map { "\($0.path) \($0.kinds.rawValue)" }.joined(separator: "; "))
  }
}

extension ResponseExpectation.Format {
  fileprivate var identity: String {
    switch self {
    case .automatic: "automatic"
    case .bytes: "bytes"
    case .decoder(let decoder): Self.identity(of: decoder)
    case .firstOf(let choices):
      choices.map { "\(Self.identity(of: $0.decoder)) \($0.contentTypes.sorted()) \($0.statuses)" }.joined(
        separator: "; ")
    }
  }

  private static func identity(of decoder: any BodyDecoder) -> String {
    guard type(of: decoder) is AnyClass else { return String(reflecting: decoder) }
    return "\(ObjectIdentifier(decoder as AnyObject))"
  }
}
