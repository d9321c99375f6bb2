public import APIKit

/// A manager whose API returns a list page by page.
///
/// It only declares ``paging``; a ``Pager`` or ``PageableAPIManager/pages(_:loadsAhead:)`` loads the pages.
@MainActor public protocol PageableAPIManager: APIManager {
  /// How the API divides its list into pages. Read when a listing starts.
  var paging: Paging { get }
}

/// How a list is divided into pages, and where a response contains their parts.
public struct Paging: Sendable {
  /// How the next page is requested.
  public var strategy: PagingStrategy
  /// The path of the array of items in the raw data.
  public var items: RawPath
  /// The path of an item's id, relative to the item. Items with the same id are kept once. The default,
  /// nil, keeps all.
  public var id: RawPath?
  /// The path of the number of items in the whole list. The default, nil, is for servers that do not report
  /// it.
  public var total: RawPath?
  /// The number of items to request per page; at least 1. The default is 20.
  public var pageSize: Int { didSet { pageSize = max(1, pageSize) } }
  /// How many items before the end of the loaded list ``Pager/itemShown(at:)`` loads the next page: 0 at the last item. The
  /// default is 5.
  public var prefetchDistance: Int
  /// The largest number of pages in a listing, for servers whose lists never end. The default is 1,000.
  public var maximumPages: Int

  /// Describes the pages of a list.
  public init(
    _ strategy: PagingStrategy, items: RawPath, id: RawPath? = nil, total: RawPath? = nil,
    pageSize: Int = 20, prefetchDistance: Int = 5, maximumPages: Int = 1000
  ) {
    (self.strategy, self.items, self.id, self.total) = (strategy, items, id, total)
    self.pageSize = max(1, pageSize)
    (self.prefetchDistance, self.maximumPages) = (prefetchDistance, maximumPages)
  }

  /// The former name of ``pageSize``.
  @available(*, deprecated, renamed: "pageSize")
  public var size: Int {
    get { pageSize }
    set { pageSize = newValue }
  }

  /// The former spelling of ``init(_:items:id:total:pageSize:prefetchDistance:maximumPages:)``.
  @available(*, deprecated, renamed: "init(_:items:id:total:pageSize:)")
  public init(
    _ strategy: PagingStrategy, items: RawPath, id: RawPath? = nil, total: RawPath? = nil, size: Int
  ) {
    self.init(strategy, items: items, id: id, total: total, pageSize: size)
  }
}

/// How a page is requested. Names are those of load parameters, before the manager's
/// `APIManager.reformParameters(_:)`; if the name of the size is nil, no size is sent.
public enum PagingStrategy: Sendable {
  /// By the page number, counted from `first`, which is usually 1.
  case pageNumber(_ name: String = "page", size: String? = "per_page", first: Int = 1)
  /// By the number of items before the page.
  case offset(_ name: String = "offset", limit: String? = "limit")
  /// By a cursor, which is in the raw data of the page before, at the path `at`. A missing, null or empty
  /// cursor ends the list. `previous` is the path of the cursor of the page before, if the server sends
  /// one.
  case cursor(_ name: String = "cursor", at: RawPath, previous: RawPath? = nil, size: String? = "limit")
  /// By the `Link` header field of the page before: relations `next` and `prev` (RFC 8288).
  ///
  /// The target is loaded as it is: at its own path, with its query as parameters, to which those of the list are
  /// added where it has none of the name. A target with another origin than that of the list is refused with
  /// `APIError.Reason.linkRefused` when that page is requested; the loaded page is kept.
  case link(size: String? = "per_page")
}

extension APIError.Reason {
  /// There is no such page: the list ends there, or the page cannot be reached directly.
  public static let noSuchPage = Self("no-such-page", "there is no such page")
  /// The server's pages contradict one another: a page is repeated, or the list does not end.
  public static let pagingBroken = Self("paging-broken", "the server's pages contradict one another")
  /// The `Link` header field of a page leads to another origin.
  public static let linkRefused = Self("link-refused", "the link to the page is not followed")
}
