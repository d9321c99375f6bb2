/// A manager whose API gives a list page by page.
///
/// It states how in one member, and stays as small as any other; a ``Pager`` or
/// ``PageableAPIManager/pages(for:)`` does the turning of pages.
@MainActor public protocol PageableAPIManager: APIManager {
  /// How the API turns its pages. Read when a listing begins.
  var paging: Paging { get }
}

/// How a list is cut into pages, and where in a response its parts are.
public struct Paging: Sendable {
  /// How the next page is asked for.
  public var strategy: PagingStrategy
  /// Where the array of items is in the raw data.
  public var items: RawPath
  /// Where an item's id is, from the item; items of one id are kept once. Nil, the default, keeps all.
  public var id: RawPath?
  /// Where the number of all items is, if the server tells; nil by default.
  public var total: RawPath?
  /// How many items a page is asked to have; the default is 20.
  public var size: Int
  /// How many items before the end the next page is asked for, by ``Pager/itemShown(at:)``. The default is 0,
  /// which does not. In ``PageableAPIManager/pages(for:)`` any other number loads one page ahead.
  public var prefetchDistance = 0
  /// How many pages a listing may have: a bound for servers whose lists never end. The default is 1,000.
  public var maximumPages = 1000

  /// Describes the pages of a list.
  public init(
    _ strategy: PagingStrategy, items: RawPath, id: RawPath? = nil, total: RawPath? = nil, size: Int = 20
  ) {
    self.strategy = strategy
    self.items = items
    self.id = id
    self.total = total
    self.size = max(1, size)
  }
}

/// How a page is asked for. Names are of parameters as a load takes them, before the manager's
/// `reformParameters`; a nil name for the size does not send one.
public enum PagingStrategy: Sendable {
  /// By the number of the page, counted from `first`, which is usually 1.
  case pageNumber(_ name: String = "page", size: String? = "per_page", first: Int = 1)
  /// By the number of items before it.
  case offset(_ name: String = "offset", limit: String? = "limit")
  /// By a text that the page before has given at a path of its raw data; a missing, null or empty one ends
  /// the list. `previous` is where a page tells the cursor of the page before it, if it does.
  case cursor(_ name: String = "cursor", at: RawPath, previous: RawPath? = nil, size: String? = "limit")
  /// By the `Link` field of the page before: relations `next` and `prev` (RFC 8288).
  ///
  /// The target's query becomes the parameters of a load at the manager's own path; the target's path is not
  /// asked for. A target of another origin, or one that differs from its page by the path alone, is refused
  /// with ``APIError/Reason/linkRefused`` when the move to it is made: the page that has it stays.
  case link(size: String? = "per_page")
}

extension APIError.Reason {
  /// There is no page in that direction.
  public static let noSuchPage = Self("no-such-page", "there is no such page")
  /// The server's pages contradict one another: a page comes again, or the list does not end.
  public static let pagingBroken = Self("paging-broken", "the server's pages contradict one another")
  /// The `Link` field of a page leads where this manager does not load: to another origin, or by path alone.
  public static let linkRefused = Self("link-refused", "the link to the page is not followed")
}
