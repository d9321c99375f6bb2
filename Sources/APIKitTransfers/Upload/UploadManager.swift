public import APIKit

/// The statements of a subclass of ``BaseUploadManager`` about its uploads.
///
/// An application writes one small class per endpoint; the comment of each member names its default, where there is one.
/// The properties are read on the main actor when an upload begins. Signing, cookies and redirects are those of the service,
/// for each request anew.
@MainActor public protocol UploadManager: BaseUploadManager, EndpointManager {
  /// The HTTP method of a plain upload. The default is PUT. A form (`HTTPBody.form(_:)`) is sent by POST if this is PUT.
  var method: HTTPMethod { get }

  /// The protocol of the upload: one request, or tus, which can resume. The default is one request.
  var uploadProtocol: UploadProtocol { get }

  /// Whether and how a failed request is made again. The default is the service's policy, without its deadline.
  ///
  /// Each attempt sends the body from its start, or from the offset that the server has. A body that cannot be read again
  /// is not sent again: the upload fails with the error of the attempt. After status 413 the body is never sent again.
  var retryPolicy: RetryPolicy { get }

  /// The accepted responses, and the format of their bodies. The default accepts every 2xx status, and reads a body by its
  /// content type.
  var expectation: ResponseExpectation { get }

  /// Whether the server is asked before the body is sent (`Expect: 100-continue`, RFC 9110, 10.1.1). The default is false.
  ///
  /// The body is opened once the server has said to continue, or after one second without a response. A final response lands
  /// without a byte of the body; after 417 the body is sent without asking, once. See `LoadOptions.expectsContinue`.
  var expectsContinue: Bool { get }
}

extension UploadManager {
  /// PUT.
  public var method: HTTPMethod { .put }
  /// One request.
  public var uploadProtocol: UploadProtocol { .plain }
  /// The service's policy.
  public var retryPolicy: RetryPolicy { service.admission.retryPolicy }
  /// Every 2xx status.
  public var expectation: ResponseExpectation { ResponseExpectation() }
  /// The body is sent at once.
  public var expectsContinue: Bool { false }

  /// Begins an upload, or resumes the one of an earlier call, if the protocol can.
  ///
  /// - Parameters:
  ///   - body: Bytes, a file, a stream, or a form: `.form(form)`.
  ///   - parameters: The parameters of the endpoint, in path and query.
  /// - Returns: The id of the upload, or why it was refused: `APIError.Reason.alreadyLoading` while the manager is uploading.
  ///   The delegate is not called for a refusal.
  @discardableResult public func upload(_ body: HTTPBody, _ parameters: Parameters = [:]) -> Takeoff {
    let flight = FlightID.next()
    do throws(APIError) { _ = try begin(body, parameters, flight) } catch { return .refused(error) }
    return .flying(flight)
  }

  /// Uploads and waits for the response. The delegate is called as well. Cancelling the task ends the upload; a tus upload
  /// keeps its position.
  ///
  /// Otherwise the same as ``upload(_:_:)``.
  public func response(
    uploading body: HTTPBody, _ parameters: Parameters = [:]
  ) async throws(APIError) -> APIResponse {
    try await begin(body, parameters, .next()).cancellableValue().get()
  }

  private func begin(
    _ body: HTTPBody, _ parameters: Parameters, _ flight: FlightID
  ) throws(APIError) -> TransferTask<APIResponse> {
    let names = transferNames(method)
    guard !isUploading else {
      throw APIError(.takeoff, .alreadyLoading, "this manager is uploading").named(names)
    }
    let made: (run: UploadRun?, work: UploadWork)
    let terms = TransferTerms(environment: service.environments.current)
    do throws(APIError) { made = try makeWork(body, parameters, terms: terms) } catch {
      throw error.named(names)
    }
    return start(named: names, run: made.run, flight: flight, made.work)
  }

  /// An upload that has not begun; with the run of one in parts.
  func makeWork(
    _ body: HTTPBody, _ parameters: Parameters, terms: TransferTerms
  ) throws(APIError) -> (run: UploadRun?, work: UploadWork) {
    try checkStatements(
      ("method", method), ("uploadProtocol", uploadProtocol), ("retryPolicy", retryPolicy),
      ("expectation", expectation), ("expectsContinue", expectsContinue), of: "UploadManager",
      below: BaseUploadManager.self)
    let user = TransferUser(service, signIn: terms.signIn ?? signIn, terms)
    let requests = TransferRequests(of: self, retryPolicy, terms, for: user)
    // A form that a queue has kept is a file, and its type says what it is.
    let isForm = body.isForm || terms.contentType.map(MultipartForm.isType) ?? false
    (requests.method, requests.expectation) = (method == .put && isForm ? .post : method, expectation)
    requests.asksFirst = expectsContinue
    guard case .tus(let options) = uploadProtocol else {
      return (nil, { report in await requests.response(sending: body, parameters, report) })
    }
    try options.validate()
    requests.retryPolicy = .never
    requests.creationKeyField = retryPolicy.idempotencyKeyField
    let place = try transferIdentity(parameters, terms)
    let draw = requests.draw(by: retryPolicy)
    let run = UploadRun(
      body, options, place: place, key: terms.key, policy: retryPolicy, for: user, draw: draw
    ) {
      (request, body, report) async in await requests.response(to: request, with: body, parameters, report)
    }
    return (run, { report in await run.perform(report) })
  }
}

/// The protocol of an upload.
public enum UploadProtocol: Sendable {
  /// In one request.
  case plain
  /// By tus 1.0, which can resume, also in another process. The endpoint creates the upload.
  case tus(TusOptions = TusOptions())
}

/// The settings of tus.
/// - SeeAlso: <https://tus.io/protocols/resumable-upload>
public struct TusOptions: Sendable, Hashable {
  /// The largest number of bytes in one request. The default, nil, sends the whole rest; a stream, and parts with a digest,
  /// are sent in parts of 8 MiB. With less than 1, an upload fails with `APIError.Reason.misconfigured` before it begins.
  public var partBytes: Int64?
  /// Whether each part has its SHA-1 (`Upload-Checksum`). The default is false. For servers that have the extension.
  public var sendsChecksums = false
  /// Whether the request that creates the upload has the first part. The default is false: if that request breaks off, the
  /// URL of the upload is not known, and its bytes are lost. For servers that have the extension.
  public var sendsWithCreation = false
  /// Metadata of the file for the server, e.g. `filename`. None by default. A name has one or more visible ASCII
  /// characters and no comma; an upload with another fails with `APIError.Reason.misconfigured` before it begins.
  public var metadata: [String: String] = [:]
  /// Origins beside the service's where the server may keep uploads, e.g. `https://uploads.example.com`. The default is none:
  /// a `Location` elsewhere fails the upload. The requests of an upload there carry the service's credential and signature.
  public var otherOrigins: [String] = []
  /// The folder of the journals. The default is `uploads` in the application's folder for persistent data.
  public var journalFolder: String?

  /// In bytes.
  static let streamPartBytes: Int64 = 8 << 20

  /// Makes options, each with its default.
  public init() {}

  /// A comma or a space in a name would make another pair of what follows (tus 1.0, Upload-Metadata), and parts of nothing
  /// would be sent without end.
  func validate() throws(APIError) {
    guard partBytes ?? 1 > 0 else {
      throw APIError(.takeoff, .misconfigured, "a part of an upload has at least one byte")
    }
    for name in metadata.keys
    where name.isEmpty || !name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2C }) {
      throw APIError(
        .takeoff, .misconfigured,
        "the metadata name \(name.debugDescription) is not allowed by tus: visible ASCII characters without a comma"
      )
    }
  }
}
