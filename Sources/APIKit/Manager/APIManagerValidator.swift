/// Judges the parameters and the answers of a manager from outside, for rules that are not the child's own.
///
/// Held weakly and optional: without one everything is valid. Called on the main actor, after the child's
/// own `validate`. Throwing refuses; an ``APIError`` is kept as it is, anything else becomes the
/// `underlying` error.
@MainActor public protocol APIManagerValidator: AnyObject {
  /// Refuses parameters by throwing. The default accepts all.
  func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws

  /// Refuses a response by throwing. The default accepts all.
  func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws
}

extension APIManagerValidator {
  /// Accepts.
  public func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws {}
  /// Accepts.
  public func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws {}
}
