/// Validates the parameters and responses of a manager by rules that do not belong to its subclass.
///
/// Optional and held weakly; without a validator all are accepted. Called on the main actor, after
/// the subclass's own `validate`. Throwing refuses: an ``APIError`` is used unchanged, any other error
/// becomes the `underlying` error.
@MainActor public protocol APIManagerValidator: AnyObject {
  /// Refuses parameters by throwing. The default accepts all.
  func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws

  /// Refuses a response by throwing. The default accepts all.
  func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws
}

extension APIManagerValidator {
  /// Accepts all.
  public func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws {}
  /// Accepts all.
  public func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws {}
}
