import APIKit
import DemoServer
import Reformers

/// Homes around Sacramento: signs with a salted digest, reports errors inside a 200.
struct SacramentoService: APIService {
  let name = PropertyService.sacramento
  let environments: ServiceEnvironments
  let client: HTTPClient
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
  let apiVersion: String? = "v2"
  let signer: (any RequestSigner)? = HMACSigner(
    key: SigningKey(DemoSignatures.Keys.ames), keyID: DemoSignatures.Keys.amesID)
}

/// New homes in Ames: open to everybody.
struct NewHomesService: APIService {
  let name = PropertyService.newHomes
  let environments: ServiceEnvironments
  let client: HTTPClient
  let apiVersion: String? = "v1"
}
