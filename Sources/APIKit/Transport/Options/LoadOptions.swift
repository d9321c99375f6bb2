/// Settings of a load beyond plain HTTP: the destination of its response, a login, the network interface, timeouts.
///
/// Given to one load (``APIManager/load(_:cache:options:)``), or stated by its manager (``APIManager/loadOptions``), its
/// service (``WireOptions/loadOptions``) or the transport's configuration (``TransportConfiguration/loadOptions``). Each
/// option counts by itself: the load's wins over the manager's, that over the service's, and that over the configuration's.
/// An option that nothing states is nil and has the default. The record of the flight says which options applied and where
/// they were stated (``FlightEvent/options(_:)``).
///
/// A transport without the capability refuses the load with ``APIError/Reason/unsupportedCapability``, which names it. A
/// load with options of its own or its manager's neither joins others nor becomes part of a batch.
public struct LoadOptions: Sendable {
  struct Fields: Sendable {
    var destination: HTTPExchange.Destination?
    var login: HTTPLogin?
    var connectTo: String?
    var compressesBody: Bool?
    var inspectHead: HeadInspection?
    var fileAtHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) -> String?)?
    var allowsCellular: Bool?
    var allowsExpensive: Bool?
    var allowsConstrained: Bool?
    var serviceType: NetworkServiceType?
    var usesCookies: Bool?
    var cookieDocument: HTTPURL?
    var challenges: ChallengeHandler?
    var connect: Duration?
    var idle: Duration?
    var total: Duration?
    /// Whether the load itself or its manager has stated some of them.
    var isOwn = false
    var expectsContinue: Bool?
    /// Whose load it is, where that was fixed before it was made.
    var owner: LoadOwner?
    /// What a queue has fixed when it kept the load.
    var binding: LoadBinding?
    /// Where the load goes, whatever its endpoint and its parameters.
    var location: HTTPURL?
    /// What the load demands of its response beside its manager.
    var rule: ResponseRule?
  }

  /// Refuses a response at its head, by throwing; see ``HTTPExchange/inspectHead``.
  public typealias HeadInspection = @Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void

  /// Refuses a response by throwing. Called on the main actor, also for a stored response, which is then removed.
  package typealias ResponseRule = @MainActor @Sendable (APIResponse) throws(APIError) -> Void

  /// Nil where nothing is stated: then options cost a load one word and one comparison.
  var fields: CopyOnWrite<Fields>?

  /// The destination of the response's body; memory by default.
  ///
  /// A body in a file or a stream is not decoded: ``APIResponse/raw`` is missing, and `http.body` says where it is.
  /// The cache neither stores such a response nor replaces it with a stored one.
  public var destination: HTTPExchange.Destination? {
    get { self[\.destination] }
    set { self[\.destination] = newValue }
  }
  /// User and password for a challenge of the server; none by default.
  public var login: HTTPLogin? {
    get { fields?.value.login }
    set { self[\.login] = newValue }
  }
  /// An address to connect to instead of the URL's host, whose name stays; see ``HTTPRequestOptions/connectTo``.
  public var connectTo: String? {
    get { self[\.connectTo] }
    set { self[\.connectTo] = newValue }
  }
  /// Whether the request's body is compressed with gzip; false by default.
  public var compressesBody: Bool? {
    get { self[\.compressesBody] }
    set { self[\.compressesBody] = newValue }
  }
  /// Refuses the response at its head, before the body is read; none by default. Called on a thread of the transport,
  /// for each attempt and not for the redirects that are followed, so it must not block.
  public var inspectHead: HeadInspection? {
    get { self[\.inspectHead] }
    set { self[\.inspectHead] = newValue }
  }
  /// Turns a response with a status of 2xx into a download to the file whose path it returns; see
  /// ``HTTPExchange/fileAtHead``. None by default. A response that has become a file is not stored.
  public var fileAtHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) -> String?)? {
    get { self[\.fileAtHead] }
    set { self[\.fileAtHead] = newValue }
  }
  /// Whether cellular interfaces may be used; that of the configuration's ``InterfacePolicy`` by default.
  public var allowsCellular: Bool? {
    get { self[\.allowsCellular] }
    set { self[\.allowsCellular] = newValue }
  }
  /// Whether interfaces that the system considers expensive may be used; as above.
  public var allowsExpensive: Bool? {
    get { self[\.allowsExpensive] }
    set { self[\.allowsExpensive] = newValue }
  }
  /// Whether interfaces in Low Data Mode may be used; as above.
  public var allowsConstrained: Bool? {
    get { self[\.allowsConstrained] }
    set { self[\.allowsConstrained] = newValue }
  }
  /// The kind of traffic; as above.
  public var serviceType: NetworkServiceType? {
    get { self[\.serviceType] }
    set { self[\.serviceType] = newValue }
  }
  /// Whether the jar's cookies are sent and those of the responses kept; true by default, where the client has a jar.
  public var usesCookies: Bool? {
    get { self[\.usesCookies] }
    set { self[\.usesCookies] = newValue }
  }
  /// The main document that the load is for: of the cookies that responses set, redirects included, only those of its
  /// site are kept (the same host, or the same public suffix and one label more). None by default, which keeps those that
  /// the jar's ``CookieJar/AcceptPolicy`` accepts. Cookies that are kept already are sent as always.
  public var cookieDocument: HTTPURL? {
    get { self[\.cookieDocument] }
    set { self[\.cookieDocument] = newValue }
  }
  /// The handler of authentication challenges; by default that of ``TransportConfiguration/challenges``. Transports
  /// that share their connections among handlers refuse it by name.
  public var challenges: ChallengeHandler? {
    get { fields?.value.challenges }
    set { self[\.challenges] = newValue }
  }
  /// The timeouts of each attempt; those of ``APIManager/timeouts`` by default. Those of a load or of its manager's options
  /// win over ``APIManager/timeouts``. Those of the options of a service or a configuration apply where manager and service
  /// state no timeouts.
  public var timeouts: HTTPTimeouts {
    get { HTTPTimeouts(connect: self[\.connect], idle: self[\.idle], total: self[\.total]) }
    set {
      (self[\.connect], self[\.idle]) = (newValue.connect, newValue.idle)
      self[\.total] = newValue.total
    }
  }

  /// Whether the server is asked before the body is sent (`Expect: 100-continue`, RFC 9110, 10.1.1); false by default.
  ///
  /// For large bodies that a server may refuse by their header fields. The body is opened once the server has said to continue,
  /// or after one second without a response; a final response, 417 among them, ends the load without a byte of the body. A
  /// 417 lands without a body of its own.
  /// Needs ``TransportCapabilities/expectContinue``.
  public var expectsContinue: Bool? {
    get { self[\.expectsContinue] }
    set { self[\.expectsContinue] = newValue }
  }
  /// Whose load it is, where that was fixed before it was made; nil for who is the user when it is called.
  package var owner: LoadOwner? {
    get { fields?.value.owner }
    set { self[\.owner] = newValue }
  }
  /// The environment and the transport that were fixed before the load was made; none by default. Only a load itself states it.
  package var binding: LoadBinding? {
    get { fields?.value.binding }
    set { self[\.binding] = newValue }
  }
  /// A URL that a server has named, to which the load goes with its query as it is; none by default. Only a load itself
  /// states it.
  package var location: HTTPURL? {
    get { self[\.location] }
    set { self[\.location] = newValue }
  }

  /// Refuses a response, by throwing, before it is stored and delivered; none by default. Only a load itself states it.
  package var rule: ResponseRule? {
    get { fields?.value.rule }
    set { self[\.rule] = newValue }
  }

  /// Makes options; each omitted one is not stated.
  public init(
    destination: HTTPExchange.Destination? = nil, login: HTTPLogin? = nil, connectTo: String? = nil,
    compressesBody: Bool? = nil, inspectHead: HeadInspection? = nil,
    fileAtHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) -> String?)? = nil,
    allowsCellular: Bool? = nil,
    allowsExpensive: Bool? = nil, allowsConstrained: Bool? = nil, serviceType: NetworkServiceType? = nil,
    usesCookies: Bool? = nil, cookieDocument: HTTPURL? = nil, challenges: ChallengeHandler? = nil,
    timeouts: HTTPTimeouts = HTTPTimeouts()
  ) {
    fields = CopyOnWrite(
      Fields(
        destination: destination, login: login, connectTo: connectTo, compressesBody: compressesBody,
        inspectHead: inspectHead, fileAtHead: fileAtHead, allowsCellular: allowsCellular,
        allowsExpensive: allowsExpensive,
        allowsConstrained: allowsConstrained, serviceType: serviceType, usesCookies: usesCookies,
        cookieDocument: cookieDocument, challenges: challenges,
        connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total))
  }

  /// No options.
  public static let none = LoadOptions(fields: nil)

  private init(fields: CopyOnWrite<Fields>?) { self.fields = fields }

  /// Whether nothing can have been stated.
  var isEmpty: Bool { fields == nil }

  private subscript<Value>(field: WritableKeyPath<Fields, Value?>) -> Value? {
    get { fields?.value[keyPath: field] ?? nil }
    set {
      var all = fields?.value ?? Fields()
      all[keyPath: field] = newValue
      fields = CopyOnWrite(all)
    }
  }
}

/// Where a load goes, fixed before it was made: a load that a queue has kept, the further requests of a transfer or a list.
package struct LoadBinding: Sendable {
  /// The name of its environment.
  package var environment: String
  /// What sends it in place of the client's transport; nil for that one.
  package var transport: (any HTTPTransport)?
  /// Awaited before a request that is not idempotent goes to another origin, where a redirect leads; what it throws fails the load
  /// before that.
  package var willCross: (@Sendable (HTTPRequest) async throws(APIError) -> Void)?

  package init(environment: String, transport: (any HTTPTransport)?) {
    (self.environment, self.transport) = (environment, transport)
  }
}

extension LoadOptions {
  /// The origin of an option.
  public enum Source: String, Sendable, Hashable {
    /// The call of `load`.
    case load
    /// The manager.
    case manager
    /// The service.
    case service
    /// The configuration of the transport.
    case configuration

    /// Whether the load itself or its manager states the option.
    var isOwn: Bool { self == .load || self == .manager }
  }

  /// One option that applied to a load.
  public struct Applied: Sendable, Hashable, CustomStringConvertible {
    /// The option's name in ``LoadOptions``.
    public let name: String
    /// Its value as text; passwords are masked.
    public let value: String
    /// Its origin.
    public let source: Source

    /// `connectTo 127.0.0.1 (manager)`.
    public var description: String { "\(name) \(value) (\(source.rawValue))" }
  }

  /// Puts options together, the first going before the later ones, and lists what applies.
  ///
  /// - Parameter timeouts: The timeouts of manager and service, which win over those of shared options.
  package static func merging(
    _ stated: [(Source, LoadOptions)], over timeouts: HTTPTimeouts = HTTPTimeouts()
  ) -> (options: LoadOptions, applied: [Applied]) {
    var all = Fields()
    var applied: [Applied] = []
    for (source, options) in stated {
      guard let given = options.fields?.value else { continue }
      func take<Value>(
        _ field: WritableKeyPath<Fields, Value?>, as name: String, _ text: (Value) -> String = { "\($0)" }
      ) {
        guard all[keyPath: field] == nil, let value = given[keyPath: field] else { return }
        all[keyPath: field] = value
        if source.isOwn { all.isOwn = true }
        applied.append(Applied(name: name, value: text(value), source: source))
      }
      take(\.destination, as: "destination") { $0.text }
      take(\.login, as: "login")
      take(\.connectTo, as: "connectTo")
      take(\.compressesBody, as: "compressesBody")
      take(\.inspectHead, as: "inspectHead") { _ in "stated" }
      take(\.fileAtHead, as: "fileAtHead") { _ in "stated" }
      take(\.allowsCellular, as: "allowsCellular")
      take(\.allowsExpensive, as: "allowsExpensive")
      take(\.allowsConstrained, as: "allowsConstrained")
      take(\.serviceType, as: "serviceType")
      take(\.usesCookies, as: "usesCookies")
      take(\.expectsContinue, as: "expectsContinue")
      take(\.cookieDocument, as: "cookieDocument") { $0.origin }
      take(\.challenges, as: "challenges") { _ in "stated" }
      let nearer = source.isOwn ? HTTPTimeouts() : timeouts
      if nearer.connect == nil { take(\.connect, as: "timeouts.connect") { $0.shortText } }
      if nearer.idle == nil { take(\.idle, as: "timeouts.idle") { $0.shortText } }
      if nearer.total == nil { take(\.total, as: "timeouts.total") { $0.shortText } }
    }
    // What the framework states for its own loads is no option that applies to others.
    if let own = stated.first(where: { $0.0 == .load })?.1.fields?.value {
      (all.owner, all.binding, all.location, all.rule) = (own.owner, own.binding, own.location, own.rule)
      if own.binding != nil || own.location != nil { all.isOwn = true }
    }
    let isEmpty =
      applied.isEmpty && all.owner == nil && all.binding == nil && all.location == nil && all.rule == nil
    return (isEmpty ? .none : LoadOptions(fields: CopyOnWrite(all)), applied)
  }

  /// Whether other loads of the service go the same way, so that one call may serve them too.
  var mayBeShared: Bool {
    guard let fields else { return true }
    return !fields.value.isOwn && isInMemory
  }

  /// Whether the body of the response is collected in memory, where it is decoded and stored.
  var isInMemory: Bool {
    switch destination {
    case nil, .memory: true
    case .file, .stream: false
    }
  }

  /// Sets what is a part of the request.
  func apply(to request: inout HTTPRequest) {
    guard let fields = fields?.value else { return }
    request.options.login = fields.login
    request.options.connectTo = fields.connectTo
    request.options.compressesBody = fields.compressesBody ?? false
    request.options.allowsCellular = fields.allowsCellular
    request.options.allowsExpensive = fields.allowsExpensive
    request.options.allowsConstrained = fields.allowsConstrained
    request.options.serviceType = fields.serviceType
    request.options.expectsContinue = fields.expectsContinue ?? false
    request.timeouts = timeouts.filled(from: request.timeouts)
  }

  /// Sets what is done with the response.
  func apply(to exchange: inout HTTPExchange) {
    guard let fields = fields?.value else { return }
    if let destination = fields.destination { exchange.destination = destination }
    exchange.inspectHead = fields.inspectHead
    exchange.fileAtHead = fields.fileAtHead
    exchange.challenges = fields.challenges
  }

  /// Throws ``APIError/Reason/unsupportedCapability`` for the first option that a transport with these capabilities
  /// cannot do.
  func validate(for capabilities: TransportCapabilities) throws(APIError) {
    guard !isEmpty else { return }
    var exchange = HTTPExchange(HTTPRequest(url: "https://localhost/"))
    apply(to: &exchange.request)
    apply(to: &exchange)
    try exchange.request.timeouts.validate()
    try capabilities.check(exchange)
  }
}

extension HTTPExchange.Destination {
  fileprivate var text: String {
    switch self {
    case .memory(let maximumBytes): "memory, \(maximumBytes) bytes at most"
    case .file(let path, _): "file \(path)"
    case .stream: "stream"
    }
  }
}
