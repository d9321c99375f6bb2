/// Gives a manager the parameters of its next load: usually the view's controller, which knows the filters.
@MainActor public protocol APIManagerParameterSource: AnyObject {
  /// The parameters for a load that was started without any. Held weakly; asked once per load.
  func parameters(for manager: BaseAPIManager) -> Parameters
}
