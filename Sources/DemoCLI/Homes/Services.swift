import APIKit
import DemoServer
import Foundation
import Reformers

/// Homes around Sacramento: signs with a salted digest, reports errors inside a 200.
struct SacramentoService: APIService {
  let name = PropertyService.sacramento
  let environments: ServiceEnvironments
  let client: HTTPClient
  var answers = Answers()
  var cache: ResponseCache? { answers.cache }
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
  var answers = Answers()
  var cache: ResponseCache? { answers.cache }
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
  var answers = Answers()
  var cache: ResponseCache? { answers.cache }
  let apiVersion: String? = "v1"

  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution {
    error.telling { $0.xf_error.string }
  }
}

/// The answers that a run keeps for the next one, where `--cache` asks for it.
struct Answers: Sendable {
  var cache: ResponseCache?
  /// The name that the run's own server has in the cache: its port changes from run to run.
  var origin: String?

  /// The folder that all runs share.
  static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    let caches = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/tmp") + "/.cache"
    return caches + "/APIKitDemo"
  }

  /// The cache of that folder.
  static func open() -> ResponseCache { ResponseCache(disk: CacheDisk(folder: folder)) }
}

extension APIService {
  fileprivate func origin(_ answers: Answers, _ call: APICall) -> String {
    answers.origin ?? call.baseURL?.string ?? ""
  }
}

extension SacramentoService {
  func cacheOrigin(of call: APICall) -> String { origin(answers, call) }
}

extension AmesService {
  func cacheOrigin(of call: APICall) -> String { origin(answers, call) }
}

extension NewHomesService {
  func cacheOrigin(of call: APICall) -> String { origin(answers, call) }
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
