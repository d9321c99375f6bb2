/// Where the pages of a ``Pager`` land.
///
/// Held weakly; called on the main actor. Each page that was asked for ends in one of the first three callbacks,
/// once, unless the pager is released before. The pager may be moved on from inside of them.
@MainActor public protocol PagerDelegate: AnyObject {
  /// A page has landed, and is among ``Pager/pages``.
  func pager(_ pager: Pager, didLoad page: Page)

  /// A page has failed; those before it are still there. ``APIError/Reason/pagingBroken`` ends the list. A page
  /// whose load is cancelled through its manager fails with ``APIError/Reason/cancelled``.
  func pager(_ pager: Pager, didFailWith error: APIError)

  /// The page of this place, from 0, was cancelled before it landed: by ``Pager/cancel()``, or because a refresh,
  /// a jump or another list took its place (``CancellationReason/superseded``). The default does nothing.
  func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason)

  /// The pages were forgotten because another list begins. The default does nothing.
  func pagerDidReset(_ pager: Pager)
}

extension PagerDelegate {
  /// Does nothing.
  public func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {}
  /// Does nothing.
  public func pagerDidReset(_ pager: Pager) {}
}
