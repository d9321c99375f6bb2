public import APIKit

/// Receives the pages of a ``Pager``.
///
/// Held weakly; called on the main actor. Every page that was requested ends in exactly one of the first
/// three callbacks, unless the pager is released before. The pager may load further pages from inside them.
@MainActor public protocol PagerDelegate: AnyObject {
  /// A page was loaded and added to ``Pager/pages``.
  func pager(_ pager: Pager, didSucceedWith page: Page)

  /// A page failed; the loaded pages are kept. `APIError.Reason.pagingBroken` ends the list.
  func pager(_ pager: Pager, didFailWith error: APIError)

  /// The page with this index, from 0, was cancelled: by ``Pager/cancel()``, because a refresh, a jump or another list
  /// replaced it (`CancellationReason.superseded`), or as a load, e.g. through the manager, `FlightRegistry` or an
  /// interceptor's veto. The default does nothing.
  func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason)

  /// The pages were removed because another list starts. The default does nothing.
  func pagerDidReset(_ pager: Pager)
}

extension PagerDelegate {
  /// Does nothing.
  public func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {}
  /// Does nothing.
  public func pagerDidReset(_ pager: Pager) {}
}
