// A subclass that does not adopt `APIManager` has no `load`. The compiler finds these declarations instead,
// so that its error says what to do. Where the protocol is adopted, the protocol's members are chosen.
extension BaseAPIManager {
  /// Not available: adopt ``APIManager``.
  @available(*, unavailable, message: "a subclass of BaseAPIManager loads once it adopts APIManager")
  @discardableResult public func load() -> Takeoff { fatalError("unavailable, so never called") }

  /// Not available: adopt ``APIManager``.
  @available(*, unavailable, message: "a subclass of BaseAPIManager loads once it adopts APIManager")
  @discardableResult public func load(_ parameters: Parameters) -> Takeoff {
    fatalError("unavailable, so never called")
  }

  /// Not available: adopt ``APIManager``.
  @available(*, unavailable, message: "a subclass of BaseAPIManager loads once it adopts APIManager")
  public func response() async throws(APIError) -> APIResponse { fatalError("unavailable, so never called") }

  /// Not available: adopt ``APIManager``.
  @available(*, unavailable, message: "a subclass of BaseAPIManager loads once it adopts APIManager")
  public func response(_ parameters: Parameters) async throws(APIError) -> APIResponse {
    fatalError("unavailable, so never called")
  }
}
