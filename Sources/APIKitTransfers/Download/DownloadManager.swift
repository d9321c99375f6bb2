public import APIKit

/// The statements of a subclass of ``BaseDownloadManager`` about its downloads.
///
/// An application writes one small class per endpoint; the comment of each member names its default, where there is one.
/// The properties are read on the main actor when a download begins. `Range`, `If-Range` and
/// `Accept-Encoding` are the download's own. Signing, cookies and redirects are those of the service, for each request anew.
@MainActor public protocol DownloadManager: BaseDownloadManager, EndpointManager {
  /// Whether and how a failed request is made again. The default is the service's policy, without its deadline.
  ///
  /// The count of attempts begins again when new bytes have arrived, so that a large file may take many
  /// requests.
  var retryPolicy: RetryPolicy { get }

  /// Names of parameters that do not tell one file from another, such as the signature and the expiry of a link: a call with
  /// others resumes the partial file. The default is none.
  var volatileParameters: Set<String> { get }

  /// The destination of a file, by status and header fields of its response; nil for the destination of the call.
  ///
  /// Called on the main actor once for each file that is begun, with an empty body. The partial file stays beside the destination
  /// of the call, so the one returned here must be on the same volume. An error that is thrown ends the download.
  /// The default is nil.
  func destination(for response: HTTPResponse) throws -> DownloadTarget?

  /// New parameters for a link that has expired; nil if there are none.
  ///
  /// Called on the main actor when the server has responded 400, 401, 403, 404 or 410, once until bytes arrive again; the
  /// download then continues from its offset. It may load other managers. The default is nil, and the download fails.
  func renewedParameters(_ parameters: Parameters, after error: APIError) async throws -> Parameters?
}

extension DownloadManager {
  /// The service's policy.
  public var retryPolicy: RetryPolicy { service.admission.retryPolicy }
  /// None.
  public var volatileParameters: Set<String> { [] }
  /// The destination of the call.
  public func destination(for response: HTTPResponse) throws -> DownloadTarget? { nil }
  /// Nil.
  public func renewedParameters(_ parameters: Parameters, after error: APIError) async throws -> Parameters? {
    nil
  }

  /// Begins a download, or resumes the one of an earlier call, also of another process.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the endpoint, in path and query.
  ///   - target: The destination of the file.
  ///   - sha256: The SHA-256 that the file must have, in hexadecimal digits; by default the digest of the server's
  ///     `Repr-Digest` (SHA-512 or SHA-256), if it states one.
  /// - Returns: The id of the download, or why it was refused: `APIError.Reason.alreadyLoading` while the manager is
  ///   downloading, and `APIError.Reason.invalidParameters` for a digest that is not 64 hexadecimal digits. The delegate is
  ///   not called for a refusal.
  @discardableResult public func download(
    _ parameters: Parameters = [:], to target: DownloadTarget, sha256: String? = nil
  ) -> Takeoff {
    let flight = FlightID.next()
    do throws(APIError) { _ = try begin(parameters, to: target, sha256: sha256, flight) } catch {
      return .refused(error)
    }
    return .flying(flight)
  }

  /// Downloads and waits for the file. The delegate is called as well. Cancelling the task pauses the download.
  ///
  /// Otherwise the same as ``download(_:to:sha256:)``.
  public func file(
    _ parameters: Parameters = [:], to target: DownloadTarget, sha256: String? = nil
  ) async throws(APIError) -> DownloadedFile {
    try await begin(parameters, to: target, sha256: sha256, .next()).cancellableValue().get()
  }

  /// Renamed: use ``file(_:to:sha256:)``.
  @available(*, deprecated, renamed: "file(_:to:sha256:)")
  public func file(
    for parameters: Parameters, to target: DownloadTarget, sha256: String? = nil
  ) async throws(APIError) -> DownloadedFile {
    try await file(parameters, to: target, sha256: sha256)
  }

  private func begin(
    _ parameters: Parameters, to target: DownloadTarget, sha256: String?, _ flight: FlightID
  ) throws(APIError) -> TransferTask<DownloadedFile> {
    let names = transferNames(.get)
    guard !isDownloading else {
      throw APIError(.takeoff, .alreadyLoading, "this manager is downloading a file").named(names)
    }
    let run: DownloadRun
    let terms = TransferTerms(environment: service.environments.current)
    do throws(APIError) { run = try makeRun(parameters, to: target, sha256: sha256, terms) } catch {
      throw error.named(names)
    }
    return start(run, named: names, flight: flight)
  }

  /// What tells its file from others at the same place.
  func identity(_ parameters: Parameters, _ terms: TransferTerms) throws(APIError) -> String {
    Crypto.digest(of: try transferIdentity(parameters.removing(volatileParameters), terms))
  }

  /// A download that has not begun. The manager is asked for places and other parameters as long as it is there.
  func makeRun(
    _ parameters: Parameters, to target: DownloadTarget, sha256: String?, _ terms: TransferTerms
  ) throws(APIError) -> DownloadRun {
    try checkStatements(
      ("retryPolicy", retryPolicy), ("volatileParameters", volatileParameters), of: "DownloadManager",
      below: BaseDownloadManager.self)
    let user = TransferUser(service, signIn: terms.signIn ?? signIn, terms)
    let requests = TransferRequests(of: self, retryPolicy, terms, for: user)
    let identity = try identity(parameters, terms)
    let digest = try sha256.map { hex throws(APIError) in try FileDigest(sha256: hex) }
    var manager = DownloadRun.Manager { (fields, parameters) async throws(APIError) in
      try await requests.response(adding: fields, parameters)
    }
    manager.check = { () throws(APIError) in try user.check() }
    manager.wait = { (duration, time) async throws(APIError) in try await user.wait(duration, time) }
    manager.place = { [weak self] (head) async throws(APIError) in try await self?.place(of: head) }
    manager.renew = { [weak self] (parameters, error) async throws(APIError) in
      try await self?.renewed(parameters, error)
    }
    manager.draw = requests.draw(by: retryPolicy)
    return DownloadRun(
      parameters, to: target, identity: identity, key: terms.key, sha256: digest, policy: retryPolicy,
      manager: manager)
  }

  private func place(of head: HTTPResponse) throws(APIError) -> DownloadTarget? {
    do { return try destination(for: head) } catch {
      throw APIError(validation: error, .response, .invalidResponse)
    }
  }

  private func renewed(_ parameters: Parameters, _ failure: APIError) async throws(APIError) -> Parameters? {
    let renewed = await Task.leavable { [self] () -> Result<Parameters?, APIError> in
      do { return .success(try await renewedParameters(parameters, after: failure)) } catch {
        return .failure(APIError(validation: error, .parameters, .invalidParameters))
      }
    }
    guard let renewed else { throw APIError(cancelled: .taskCancelled) }
    return try renewed.get()
  }
}

/// The destination of a download.
public enum DownloadTarget: Sendable, Hashable, Codable {
  /// A file with this path. If the file exists and `overwrites` is false, the download fails with
  /// `APIError.Reason.fileFailed`.
  case file(String, overwrites: Bool = false)
  /// A file in this folder, with the name that the server gives by `Content-Disposition`, else the last part of the path from
  /// which the file comes, behind redirects, made safe; `download` where that leaves nothing. If the file exists and
  /// `overwrites` is false, the name gets a number.
  case folder(String, overwrites: Bool = false)
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable, Hashable {
  /// The path of the file.
  public let path: String
  /// Its length in bytes.
  public let count: Int64
  /// Its SHA-256 in hexadecimal digits, if it was compared with one; nil otherwise, also after a comparison by SHA-512.
  public let sha256: String?
}
