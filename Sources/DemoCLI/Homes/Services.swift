import APIKit
import APIKitSigning
import DemoServer
import Reformers

/// Homes around Sacramento: requests are signed with a salted digest, errors are reported with status 200.
struct SacramentoService: APIService {
  let name = PropertyService.sacramento
  let environments: ServiceEnvironments
  let wire: WireOptions
  var cache = CacheOptions()
  var admission = AdmissionOptions()
  let apiVersion = "v1"
  let identity = ServiceIdentity(
    signer: SaltedDigestSigner(
      key: SecretKey(DemoSignatures.Keys.sacramento), salt: DemoSignatures.Keys.sacramentoSalt))
  let businessErrors: BusinessErrorRule = .code("code", success: "0", message: "message")
}

/// Homes in Ames: requests are signed with an HMAC over the whole request.
struct AmesService: APIService {
  let name = PropertyService.ames
  let environments: ServiceEnvironments
  let wire: WireOptions
  var cache = CacheOptions()
  var admission = AdmissionOptions()
  let apiVersion = "v2"
  let identity = ServiceIdentity(
    signer: HMACSigner(key: SecretKey(DemoSignatures.Keys.ames), keyID: DemoSignatures.Keys.amesID))

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.error.message.string }
  }
}

/// New homes in Ames: requests are not signed.
struct NewHomesService: APIService {
  let name = PropertyService.newHomes
  let environments: ServiceEnvironments
  var wire: WireOptions
  var cache = CacheOptions()
  var admission = AdmissionOptions()
  let apiVersion = "v1"

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.xf_error.string }
  }
}

/// Changes of prices as they happen: events and a WebSocket. Requests are not signed.
struct LiveService: APIService {
  let name = "live"
  let environments: ServiceEnvironments
  let wire: WireOptions
  var admission = AdmissionOptions()

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.error.string }
  }
}

extension APIError {
  /// Adds the server's message to the error of a bad status, where the response has one.
  func telling(_ message: (RawData) -> String?) -> ErrorResolution {
    guard reason == .unacceptableStatus, let response,
      let raw = try? RawData(parsing: response.bytes), let message = message(raw)
    else { return .letThrough }
    var error = self
    error.detail += ": \(message)"
    return .replace(error)
  }
}
