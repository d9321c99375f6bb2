/// The names that a generated declaration must not have.
enum SwiftNames {
  /// Keywords that cannot be a name without quotes.
  static let keywords: Set<String> = set(
    """
    Any Self as associatedtype async await borrowing break case catch class consuming continue default defer deinit do else
    enum extension fallthrough false fileprivate for func guard if import in indirect init inout internal is let macro nil
    nonisolated operator precedencegroup private protocol public repeat rethrows return self static struct
    subscript super switch throw throws true try typealias var where while any some isolated
    """)

  /// Names that a member of a generated type must not have: its own and those of the protocols that it adopts.
  static let members: Set<String> = set("rawValue hashValue hash encode encoder container self")

  /// Whether a type of this name would hide one of Swift, Foundation, SwiftUI or the framework.
  static func isTaken(_ name: String) -> Bool {
    keywords.contains(name) || system.contains(name) || framework.contains(name)
  }

  /// Types of Swift, Foundation and SwiftUI that code near a manager uses, and the names inside a manager or `APIError`, whose
  /// extensions read failures.
  static let system: Set<String> = set(
    """
    Actor Any AnyHashable AnyObject App Array AsyncSequence AsyncStream Binding Bool Bundle Button Calendar
    CaseIterable Character Clock Codable CodingKey CodingKeys CodingUserInfoKey Collection Color Comparable
    Context ContinuousClock Data Date DateFormatter DateInterval Decimal Decodable Decoder DecodingError Dictionary
    Double Duration Element Encodable Encoder EncodingError Environment Equatable Error Evidence Failure FileManager
    Float Font Form Foundation Group
    Hashable Hasher Identifiable Image Index Input Int Int128 Int16 Int32 Int64 Int8 Iterator IteratorProtocol
    JSONDecoder JSONEncoder Key KeyPath Label Link List Locale MainActor Measurement Menu Mirror NSError NSObject
    Never Notification Null Observable Operation OperationQueue OptionSet Optional Output Path Picker Process
    Progress Protocol Published Range RawRepresentable RawValue Reason Regex Result SIMD Scene Section Self Sendable
    Sequence Service Set Shape Stage State Stream String StringProtocol Subject Substring Swift Task TaskGroup Text
    Thread TimeInterval TimeZone Timer Toggle Type UInt UInt16 UInt32 UInt64 UInt8 URL URLRequest URLResponse
    URLSession UUID Unicode UnicodeScalar Unit Value View Void XMLParser
    """)

  /// The public types of the framework; a test compares them with its sources.
  static let framework: Set<String> = set(
    """
    APICall APIError APIManager APIManagerDelegate APIManagerInterceptor APIManagerParameterSource
    APIManagerValidator ProblemDetails APIResponse APIService AWSSigner ActionBatch ActionLog AdmissionOptions
    AnyManagerChain AsyncHTTPTransport AuthenticationChallenge Authenticator BackgroundGrace
    BackgroundSessionOptions Backoff BaseAPIManager BaseDownloadManager BaseManagerGroup BaseUploadManager
    BatchPlan BodyChoice BodyCipher BodyDecoder BodyDecoders BodyEncoder BreakerPolicy BusinessError
    BusinessErrorRule CacheConditionTable CacheFault CacheKey CacheLevels CacheOptions CachePartition CachePolicy
    CacheStatistics CacheTerms CacheTraits CacheUse CancellableOperation CancellationReason CanonicalRequest
    CellularGeneration ChallengeAnswer ChallengeHandler ChallengeProof Change CleartextPolicy ClientIdentity
    ConnectionLimits ContentDigest Cookie CookieJar CookieStore Credential CredentialStore DateStyle DeveloperNotices
    DefaultTransport DeviceAuthorization DiskCacheConfiguration DownloadManager DownloadManagerDelegate
    DownloadTarget DownloadedFile DurationHistogram Endpoint EndpointManager EnvironmentTable ErrorResolution
    FileCredentialStore FileLoginStore FlightEvent FlightEvents FlightID FlightLanding FlightListener FlightLog
    FlightNotice FlightNotices FlightPriority FlightRecord FlightRecorder FlightRegistry FlightState
    FlightStateChange FlightStatistics FlightWait FormBodyDecoder FormEncoder GroupMember GroupPolicy
    GroupProgress GroupResults HMACSigner HTTPBody HTTPBodyStream HTTPClient HTTPExchange HTTPHeaders HTTPLogin
    HTTPMethod HTTPProxy HTTPRedirect HTTPRequest HTTPRequestOptions HTTPResponse HTTPTimeouts HTTPTransport
    HTTPURL HTTPVersion HTTPVersionPolicy HostAddress HostLimits HostPool HostResolution HostResolver HostSource
    ImageBodyDecoder ImageHead ImageThumbnail InterfacePolicy JSONBodyDecoder JSONBodyEncoder JSONValue LandedLoad
    LandingSequence LiveEvent LiveEvents LoadOptions LoadSummary LoginStore LoopbackRedirect ManagerChain
    ManagerChainDelegate ManagerGroup ManagerGroupDelegate ManagerLoad MemberKey MemberWork MemoryCredentialStore
    MemoryLoginStore MessageSigner MessageVerifier MultipartForm NetworkCondition NetworkGate NetworkMonitor
    NetworkServiceType OAuthAuthorization OAuthClient OAuthConfiguration OAuthServerMetadata Outbox
    OutboxConfiguration OutboxItem OutboxItemID OutboxValue Page PageSequence PageableAPIManager Pager
    PagerDelegate Paging PagingStrategy ParameterConvertible ParameterEncoding ParameterValue Parameters
    PathTemplate PercentEncoding PinMismatch PinSet PooledHost ProofKey PropertyListBodyDecoder
    PropertyListBodyEncoder ProtectionSpace Provenance ProxyChoice QueryEncoder QueryStyle QueuedTransfer RawData
    RawDecodable RawElements RawLeaf RawMembers RawPath RecordSink RedirectPolicy ReformSource Reformer
    RegisteredApplicationSigner RegisteredApplicationVerifier RequestPhase RequestProgress RequestRate
    RequestSigner ResponseCache ResponseExpectation ResponseShape ResponseStream ResponseVerifier RetryPolicy
    RetryTable SaltedDigestSigner SecretNames ServerClock ServiceEnvironment ServiceEnvironments ServiceIdentity
    SharedState SignInChange SignInRule SignatureComponent SignatureFault SignatureKey SecretKey SigningSubject
    SocketMessage StatisticsReport StorableResponse SuspendableOperation SystemTime TLSPolicy TLSVersion Takeoff
    TakeoffPolicy TextBodyDecoder TimeSource TraceContext TracePolicy TransferEnd TransferID TransferProgress
    TransferQueue TransferQueueConfiguration TransferQueueDelegate TransportCapabilities TransportConfiguration
    TransportMetrics TrustEvaluation TusOptions URLService URLSessionTransport UploadManager UploadManagerDelegate
    UploadProtocol UserData UserStore ValidationError WireOptions WrittenParameters XMLBodyDecoder XMLBodyEncoder
    """)

  private static func set(_ names: String) -> Set<String> {
    Set(names.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
