/// What a subclass of ``BaseDownloadManager`` states about the files that it downloads.
///
/// An application writes one small class per endpoint; the comment of each member names its default, where there is one.
/// The properties are read on the main actor when a download begins. Signing, sign-in, cookies, retries, redirects and the
/// network gate are those of the service, for each request anew.
@MainActor public protocol DownloadManager: BaseDownloadManager {
  /// The type of the backend.
  associatedtype Service: APIService

  /// The backend.
  var service: Service { get }

  /// The path below the service's base URL. A placeholder `{id}` is replaced with the parameter `id`.
  var apiName: String { get }

  /// Header fields of its requests. The default is none. `Range`, `If-Range` and `Accept-Encoding` are the download's own.
  var headers: HTTPHeaders { get }

  /// Whether and how a failed request is made again. The default is the service's policy, without its deadline.
  ///
  /// Counted anew whenever bytes have arrived, so that a large file may need many requests.
  var retryPolicy: RetryPolicy { get }

  /// Whether downloads need the service's sign-in. The default carries the credential if there is one.
  var signIn: SignInRule { get }
}

extension DownloadManager {
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// The service's policy.
  public var retryPolicy: RetryPolicy { service.admission.retryPolicy }
  /// The credential is carried if there is one.
  public var signIn: SignInRule { .asAvailable }

  /// Begins a download, or goes on with one that a call before has left, be it of another process.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the endpoint, in path and query.
  ///   - target: Where the file goes.
  ///   - sha256: The SHA-256 that the file must have, in hexadecimal digits; by default that of the server's `Repr-Digest`,
  ///     if it states one.
  /// - Returns: Why it was refused: ``APIError/Reason/alreadyLoading`` while the manager is downloading; nil when it began.
  @discardableResult public func download(
    _ parameters: Parameters = [:], to target: DownloadTarget, sha256: String? = nil
  ) -> APIError? {
    do throws(APIError) { _ = try begin(parameters, target, sha256) } catch { return error }
    return nil
  }

  /// Downloads and waits for the file. The delegate is called as well. Cancelling the task pauses the download.
  ///
  /// Otherwise the same as ``download(_:to:sha256:)``.
  public func file(
    for parameters: Parameters = [:], to target: DownloadTarget, sha256: String? = nil
  ) async throws(APIError) -> DownloadedFile {
    let task = try begin(parameters, target, sha256)
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  private func begin(
    _ parameters: Parameters, _ target: DownloadTarget, _ sha256: String?
  ) throws(APIError) -> Task<Result<DownloadedFile, APIError>, Never> {
    guard !isDownloading else {
      throw APIError(.takeoff, .alreadyLoading, "this manager is downloading a file")
    }
    var policy = retryPolicy
    policy.deadline = nil
    let requests = DownloadRequests(service, apiName, headers, policy, signIn)
    var named = HTTPRequest(url: "https://localhost/")
    try ParameterEncoding.query.apply(parameters, to: &named)
    let base = service.environments.selection.1?.string
    let identity = Crypto.digest(of: [service.name, base, apiName, named.url.string])
    let name = String(describing: type(of: self))
    return start(
      DownloadRun(target, identity, sha256, policy) { (fields) async throws(APIError) in
        try await requests.response(adding: fields, parameters)
      }, manager: name)
  }
}

/// Where a download goes.
public enum DownloadTarget: Sendable, Hashable {
  /// A file with this path. One that is there fails the download with ``APIError/Reason/fileFailed``, unless it is to be
  /// overwritten.
  case file(String, overwrites: Bool = false)
  /// A file in this folder, with the name that the server gives by `Content-Disposition`, else the last part of the
  /// endpoint's name, made safe. Where there is such a file, the name gets a number, unless it is to be overwritten.
  case folder(String, overwrites: Bool = false)
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable, Hashable {
  /// Where it is.
  public let path: String
  /// Its length in bytes.
  public let count: Int64
  /// Its SHA-256 in hexadecimal digits, if it was compared with one; nil otherwise.
  public let sha256: String?
}

/// Sends the requests of one download on the path of all loads.
final class DownloadRequests<Service: APIService>: BaseAPIManager, APIManager {
  let service: Service
  let apiName: String
  private(set) var headers: HTTPHeaders
  let retryPolicy: RetryPolicy
  let signIn: SignInRule

  private let given: HTTPHeaders

  init(
    _ service: Service, _ apiName: String, _ headers: HTTPHeaders, _ retryPolicy: RetryPolicy,
    _ signIn: SignInRule
  ) {
    self.service = service
    self.apiName = apiName
    self.headers = headers
    given = headers
    self.retryPolicy = retryPolicy
    self.signIn = signIn
    super.init()
  }

  /// The response to the request of one part, at its head.
  func response(adding fields: HTTPHeaders, _ parameters: Parameters) async throws(APIError) -> APIResponse {
    headers = given
    headers.merge(fields)
    // A limit for the whole attempt would end every large file.
    let options = LoadOptions(destination: .stream, timeouts: HTTPTimeouts(total: .zero))
    return try await response(for: parameters, options: options)
  }
}
