// A subclass that does not adopt `APIManager` has no `load`. These stand where the compiler looks first, so
// that its error names what to do; where the protocol is adopted, its own members are chosen.
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
  public func response(for parameters: Parameters) async throws(APIError) -> APIResponse {
    fatalError("unavailable, so never called")
  }
}
