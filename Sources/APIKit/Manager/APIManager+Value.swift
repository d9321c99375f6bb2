/// Loads that end in one value of the application's own.
extension APIManager {
  /// Loads and decodes the response.
  ///
  /// The flight is that of ``response(_:)-(Parameters)``. Bodies above 64 KiB are decoded off the main actor.
  /// - Parameters:
  ///   - parameters: The parameters; nil, the default, asks the ``BaseAPIManager/parameterSource``.
  ///   - type: The type to decode the whole response as; use a reformer to decode a part of it.
  /// - Throws: The error of the load, or an error with the stage `reform` that names the path of the value that
  ///   does not fit.
  public func value<Value: Decodable & Sendable>(
    _ parameters: Parameters? = nil, as type: Value.Type
  ) async throws(APIError) -> Value {
    try await response(given: parameters).value(
      with: Reading { raw, source throws(APIError) in try raw.decode(options: source.decoding) })
  }

  /// Loads and reads the response as a ``RawDecodable`` type, which knows its own names and dates; otherwise the same.
  public func value<Value: RawDecodable & Sendable>(
    _ parameters: Parameters? = nil, as type: Value.Type
  ) async throws(APIError) -> Value {
    try await response(given: parameters).value(with: Reading { raw, _ throws(APIError) in try raw.decode() })
  }

  /// Loads and reads the response as a type that is both, by ``RawDecodable``.
  public func value<Value: RawDecodable & Decodable & Sendable>(
    _ parameters: Parameters? = nil, as type: Value.Type
  ) async throws(APIError) -> Value {
    try await response(given: parameters).value(with: Reading { raw, _ throws(APIError) in try raw.decode() })
  }

  /// Loads and reforms the response.
  ///
  /// The flight is that of ``response(_:)-(Parameters)``. Bodies above 64 KiB are reformed off the main actor.
  /// - Parameters:
  ///   - parameters: The parameters; nil, the default, asks the ``BaseAPIManager/parameterSource``.
  ///   - reformer: Makes the value of the response.
  public func value<Value: Sendable>(
    _ parameters: Parameters? = nil, with reformer: some Reformer<Value>
  ) async throws(APIError) -> Value {
    try await response(given: parameters).value(with: reformer)
  }
}

extension APIManager where Output: Decodable & Sendable {
  /// Loads and decodes the response as the manager's ``Output``.
  ///
  /// - Parameter parameters: The parameters; nil, the default, asks the ``BaseAPIManager/parameterSource``.
  /// - Throws: As `value(_:as:)`.
  public func value(_ parameters: Parameters? = nil) async throws(APIError) -> Output {
    try await value(parameters, as: Output.self)
  }

  /// Loads with the members of a value, and decodes the response as the manager's ``Output``.
  @_disfavoredOverload public func value(_ parameters: some Encodable) async throws(APIError) -> Output {
    try await value(Parameters(encoding: parameters, keys: parameterEncoding.keys))
  }
}

extension APIManager where Output: RawDecodable & Sendable {
  /// Loads and reads the response as the manager's ``Output``, a ``RawDecodable`` type; otherwise the same.
  public func value(_ parameters: Parameters? = nil) async throws(APIError) -> Output {
    try await value(parameters, as: Output.self)
  }

  /// Loads with the members of a value, and reads the response as the manager's ``Output``.
  @_disfavoredOverload public func value(_ parameters: some Encodable) async throws(APIError) -> Output {
    try await value(Parameters(encoding: parameters, keys: parameterEncoding.keys))
  }
}

extension APIManager where Output: RawDecodable & Decodable & Sendable {
  /// Loads and reads the response as the manager's ``Output``, a type that is both, by ``RawDecodable``.
  public func value(_ parameters: Parameters? = nil) async throws(APIError) -> Output {
    try await value(parameters, as: Output.self)
  }

  /// Loads with the members of a value, and reads the response as the manager's ``Output``.
  @_disfavoredOverload public func value(_ parameters: some Encodable) async throws(APIError) -> Output {
    try await value(Parameters(encoding: parameters, keys: parameterEncoding.keys))
  }
}

/// Reads the whole of a response.
private struct Reading<Output: Sendable>: Reformer {
  let read: @Sendable (RawData, ReformSource) throws(APIError) -> Output

  func reform(_ raw: RawData, from source: ReformSource) throws(APIError) -> Output {
    try read(raw, source)
  }
}

extension APIResponse {
  /// On the main actor for a small body, as a delegate would: a hop to another thread and back takes longer.
  @MainActor fileprivate func value<Value: Sendable>(
    with reformer: some Reformer<Value>
  ) async throws(APIError) -> Value {
    if raw.byteCount <= Flight.inlineBytes { return try data(with: reformer) }
    return try await dataInBackground(with: reformer)
  }
}
