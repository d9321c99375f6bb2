import APIKit
import DemoServer
import Reformers

/// Homes around Sacramento: signs with a salted digest, reports errors inside a 200.
struct SacramentoService: APIService {
  let name = PropertyService.sacramento
  let environments: ServiceEnvironments
  let client: HTTPClient
  var responses = StoredResponses()
  var cache: ResponseCache? { responses.cache }
  let apiVersion: String? = "v1"
  let signer: (any RequestSigner)? = SaltedDigestSigner(
    key: SigningKey(DemoSignatures.Keys.sacramento), salt: DemoSignatures.Keys.sacramentoSalt)

  func businessError(in raw: RawData, of call: APICall) -> BusinessError? {
    guard let code = raw.code.int, code != 0 else { return nil }
    return BusinessError(code: String(code), message: raw.message.string ?? "no message")
  }
}

/// Homes in Ames: signs with an HMAC over the whole request.
struct AmesService: APIService {
  let name = PropertyService.ames
  let environments: ServiceEnvironments
  let client: HTTPClient
  var responses = StoredResponses()
  var cache: ResponseCache? { responses.cache }
  let apiVersion: String? = "v2"
  let signer: (any RequestSigner)? = HMACSigner(
    key: SigningKey(DemoSignatures.Keys.ames), keyID: DemoSignatures.Keys.amesID)

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.error.message.string }
  }
}

/// New homes in Ames: open to everybody.
struct NewHomesService: APIService {
  let name = PropertyService.newHomes
  let environments: ServiceEnvironments
  let client: HTTPClient
  var responses = StoredResponses()
  var cache: ResponseCache? { responses.cache }
  let apiVersion: String? = "v1"

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.xf_error.string }
  }
}

extension APIError {
  /// This error with the server's own words, where a bad status came with some.
  fileprivate func telling(_ message: (RawData) -> String?) -> ErrorResolution {
    guard reason == .unacceptableStatus, let response,
      let raw = try? RawData(parsing: response.bytes), let message = message(raw)
    else { return .letThrough }
    var error = self
    error.detail += ": \(message)"
    return .replace(error)
  }
}
