// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

public import APIKit
public import APIKitOAuth

/// A shop, for tests of what is generated.
public nonisolated final class Shop: APIService {
  public static let shared = Shop()

  public let name = "Shop"
  public let environments = Shop.makeEnvironments()

  /// The addresses for values of their variables: `Shop.shared.environments[.release] = …` uses one.
  public static func addresses(shop: String = "main") -> [ServiceEnvironment: String] {
    [
      .release: "https://shop.example/v1",
      "shops": "https://\(shop).shops.example/\(shop)/v1",
    ]
  }

  private static func makeEnvironments() -> ServiceEnvironments {
    ServiceEnvironments(addresses().compactMapValues { try? HTTPURL($0) })
  }
  public let identity = ServiceIdentity(authenticator: Shop.authenticator)

  /// Sign in with the credential that an `OAuthClient` gets.
  public static let authenticator: Authenticator = {
    Authenticator()
  }()

  /// The client of the authorization server, for the flow `authorizationCode`.
  public static func authorizationCodeConfiguration(clientID: String, scopes: [String] = ["orders"]) -> OAuthConfiguration {
    OAuthConfiguration(clientID: clientID, authorizationEndpoint: "https://id.shop.example/authorize", tokenEndpoint: "https://id.shop.example/token", scopes: scopes)
  }
}

/// A manager whose parameters are the members of an `Input`.
@MainActor public protocol ShopManager: APIManager {
  associatedtype Input: Encodable & Sendable
}

extension ShopManager {
  /// Loads with an input.
  @discardableResult public func load(_ input: Input) -> Takeoff { load(Parameters(encoding: input)) }
  /// Loads with an input, and waits for the response.
  public func response(_ input: Input) async throws(APIError) -> APIResponse {
    try await response(Parameters(encoding: input))
  }
}

extension ShopManager where Output: Decodable & Sendable {
  /// Loads with an input, and reads the response.
  public func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

extension ShopManager where Output: RawDecodable & Sendable {
  /// Loads with an input, and reads the response.
  public func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

extension ShopManager where Output: RawDecodable & Decodable & Sendable {
  /// Loads with an input, and reads the response.
  public func value(_ input: Input) async throws(APIError) -> Output {
    try await value(Parameters(encoding: input))
  }
}

/// What a response is decoded as that has no content.
public nonisolated struct ShopNothing: Decodable, Sendable {
  public init(from decoder: any Decoder) {}
}

/// An output whose type depends on the status of the response.
public nonisolated protocol ShopStatusOutput: Sendable {
  /// Reads a response.
  init(_ response: APIResponse) throws(APIError)
}

nonisolated extension ShopStatusOutput {
  /// Reads a response off the caller's actor.
  @concurrent static func read(_ response: APIResponse) async throws(APIError) -> Self {
    try Self(response)
  }
}

extension APIManager where Output: ShopStatusOutput {
  /// Loads, and reads the response by its status.
  public func value() async throws(APIError) -> Output { try await .read(response()) }
  /// Loads with parameters, and reads the response by its status.
  public func value(_ parameters: Parameters) async throws(APIError) -> Output { try await .read(response(parameters)) }
}

extension ShopManager where Output: ShopStatusOutput {
  /// Loads with an input, and reads the response by its status.
  public func value(_ input: Input) async throws(APIError) -> Output { try await .read(response(input)) }
}

/// Holds a value on the heap: a member of a structure that contains itself.
public nonisolated indirect enum ShopBox<Value: Sendable>: Sendable {
  case boxed(Value)

  /// Puts a value into a box.
  public init(_ value: Value) { self = .boxed(value) }

  /// The value in the box.
  public var value: Value {
    get { switch self { case .boxed(let value): value } }
    set { self = .boxed(newValue) }
  }
}

nonisolated extension ShopBox: RawDecodable where Value: RawDecodable {
  public init(_ raw: borrowing RawData) throws { self = .boxed(try Value(raw)) }
}
nonisolated extension ShopBox: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

nonisolated extension APIError {
  /// The body of the response that the load failed with, where it is one of `Refusal`.
  public var shopRefusal: Refusal? { try? raw.decode(as: Refusal.self) }
}
