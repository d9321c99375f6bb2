// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

import APIKit

/// Homes around Sacramento
nonisolated final class Sacramento: APIService {
  static let shared = Sacramento()

  let name = "Sacramento"
  let environments = ServiceEnvironments("http://127.0.0.1:8080/sacramento/v1")
}

/// A manager whose parameters are the members of an `Input`.
@MainActor protocol SacramentoManager: APIManager {
  associatedtype Input: Encodable & Sendable
}

extension SacramentoManager {
  /// Loads with an input.
  @discardableResult func load(_ input: Input) -> Takeoff { load(Parameters(encoding: input)) }
  /// Loads with an input, and waits for the response.
  func response(_ input: Input) async throws(APIError) -> APIResponse {
    try await response(Parameters(encoding: input))
  }
}

extension SacramentoManager where Output: Decodable & Sendable {
  /// Loads with an input, and reads the response.
  func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

extension SacramentoManager where Output: RawDecodable & Sendable {
  /// Loads with an input, and reads the response.
  func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

extension SacramentoManager where Output: RawDecodable & Decodable & Sendable {
  /// Loads with an input, and reads the response.
  func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

nonisolated extension APIError {
  /// The body of the response that the load failed with, where it is one of `Refusal`.
  var sacramentoRefusal: Refusal? { try? raw.decode(as: Refusal.self) }
}
