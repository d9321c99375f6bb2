// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

public import APIKit

/// `GET /state`
///
/// A subclass adopts `APIManager`.
open class BaseReadStateManager: BaseAPIManager {
  /// The response, by its status.
  public nonisolated enum Output: ShopStatusOutput {
    case ok([String])
    case success(Job)

    public init(_ response: APIResponse) throws(APIError) {
      switch response.status {
      case 200: self = .ok(try response.decode())
      case 200...299: self = .success(try response.decode())
      default:
        throw APIError(.reform, .unacceptableStatus, "no output has the status \(response.status)")
      }
    }
  }

  public let service = Shop.shared
  public let apiName = "state"
  public let signIn = SignInRule.exempt
}
