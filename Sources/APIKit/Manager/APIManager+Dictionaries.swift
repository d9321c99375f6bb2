// A dictionary of `Any` has no defined form in a request. The compiler finds these declarations for one, so that its error
// says what to write.
extension APIManager {
  /// Not available: use ``Parameters``.
  @available(
    *, unavailable,
    message:
      "[String: Any] cannot be sent; declare it as Parameters: let parameters: Parameters = [\"city\": city, \"beds\": 3]"
  )
  @discardableResult public func load(_ parameters: [String: Any]) -> Takeoff {
    fatalError("unavailable, so never called")
  }

  /// Not available: use ``Parameters``.
  @available(
    *, unavailable,
    message:
      "[String: Any] cannot be sent; declare it as Parameters: let parameters: Parameters = [\"city\": city, \"beds\": 3]"
  )
  public func response(_ parameters: [String: Any]) async throws(APIError) -> APIResponse {
    fatalError("unavailable, so never called")
  }

  /// Not available: use ``Parameters``.
  @available(
    *, unavailable,
    message:
      "[String: Any] cannot be sent; declare it as Parameters: let parameters: Parameters = [\"city\": city, \"beds\": 3]"
  )
  public func value(_ parameters: [String: Any]) async throws(APIError) -> Output {
    fatalError("unavailable, so never called")
  }
}
