/// Provides the parameters of a manager's next load: usually the view's controller, which has the filters.
/// Held weakly.
@MainActor public protocol APIManagerParameterSource: AnyObject {
  /// The parameters for a load that was started without any. Called on the main actor, once per load.
  func parameters(for manager: BaseAPIManager) -> Parameters
}
