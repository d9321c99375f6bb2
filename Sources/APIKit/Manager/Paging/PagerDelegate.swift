/// Where the pages of a ``Pager`` land.
///
/// Held weakly; called on the main actor.
@MainActor public protocol PagerDelegate: AnyObject {
  /// A page has landed, and is among ``Pager/pages``.
  func pager(_ pager: Pager, didLoad page: Page)

  /// A page has failed; those before it are still there. ``APIError/Reason/pagingBroken`` ends the list. A page
  /// whose load is cancelled through its manager fails with ``APIError/Reason/cancelled``.
  func pager(_ pager: Pager, didFailWith error: APIError)

  /// The pages were forgotten because another list begins. The default does nothing.
  func pagerDidReset(_ pager: Pager)
}

extension PagerDelegate {
  /// Does nothing.
  public func pagerDidReset(_ pager: Pager) {}
}
