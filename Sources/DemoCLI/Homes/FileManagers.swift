import APIKit
import APIKitTransfers

/// Any file below the server's address.
struct FileService: APIService {
  let name = "Files"
  let environments: ServiceEnvironments
  let wire: WireOptions

  @MainActor init(_ session: Session) throws {
    environments = ServiceEnvironments(
      try session.baseURL, cleartext: .loopback(and: [try session.baseURL.host]))
    wire = WireOptions(client: try session.client)
  }

  /// - Parameter servers: Each is an environment that has its URL as name.
  init(servers: [HTTPURL], client: HTTPClient) {
    var (places, policies): ([ServiceEnvironment: HTTPURL], [ServiceEnvironment: CleartextPolicy]) = (
      [:], [:]
    )
    for server in servers {
      places[ServiceEnvironment(server.string)] = server
      policies[ServiceEnvironment(server.string)] = .loopback(and: [server.host])
    }
    environments = ServiceEnvironments(places, cleartext: policies)
    wire = WireOptions(client: client)
  }

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.error.string }
  }
}

/// A download of any path.
final class FileDownloads: BaseDownloadManager, DownloadManager {
  let service: FileService
  let apiName: String
  let retryPolicy: RetryPolicy

  init(_ service: FileService, _ path: String, attempts: Int) {
    self.service = service
    apiName = path
    var policy = RetryPolicy.standard
    policy.attempts = attempts
    retryPolicy = policy
  }
}

/// An upload to any path, in one request.
class FileUploads: BaseUploadManager, UploadManager {
  let service: FileService
  var apiName = "transfers/uploads"
  var expectsContinue = false
  var uploadProtocol = UploadProtocol.plain
  let retryPolicy = RetryPolicy.standard

  init(_ service: FileService) { self.service = service }
}

/// The same by tus.
final class TusUploads: FileUploads {
  override init(_ service: FileService) {
    super.init(service)
    apiName = "transfers/tus"
    uploadProtocol = .tus()
  }
}
