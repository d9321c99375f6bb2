public import APIKit

/// One page of a list.
public struct Page: Sendable {
  /// Its index in the list, from 0.
  public let index: Int
  /// The response. A reformer applied to it by `APIResponse.data(with:)` sees repeated items as well.
  public let response: APIResponse
  /// Its items, without those whose id was on an earlier page.
  public let items: [RawData]
  /// The positions in the response of the items that were left out because their id was on an earlier page.
  let repeated: Set<Int>
  /// Whether there is a page after it.
  public let hasNext: Bool
  /// Whether it replaced the loaded pages: after ``Pager/refresh()`` and ``Pager/go(to:)`` all rows are new.
  public let replacesOthers: Bool

  /// The number of items left out because their id was on an earlier page.
  public var duplicateCount: Int { repeated.count }

  /// The rows that a reformer makes of the response; those of repeated items are left out.
  ///
  /// - Throws: As `APIResponse.data(with:)`, and `APIError.Reason.misconfigured` if items were repeated and the
  ///   reformer does not make one row of each item, so that it is unknown which rows are theirs.
  public func rows<Row>(with reformer: some Reformer<[Row]>) throws(APIError) -> [Row] {
    let rows = try response.data(with: reformer)
    guard !repeated.isEmpty else { return rows }
    guard rows.count == items.count + repeated.count else {
      throw APIError(
        .reform, .misconfigured,
        "page \(index + 1) has \(repeated.count) repeated items, and \(rows.count) rows were made of its \(items.count + repeated.count) items"
      )
    }
    return rows.indices.filter { !repeated.contains($0) }.map { rows[$0] }
  }
}

/// The pages of a list in order: made by ``PageableAPIManager/pages(_:loadsAhead:)``.
///
/// A page is loaded when it is requested, and released after the next one. Leaving the loop ends the
/// listing. Each iteration starts with the first page again.
public struct PageSequence: AsyncSequence {
  /// One page.
  public typealias Element = Page
  /// The error that the iteration throws.
  public typealias Failure = APIError

  let makePager: @MainActor @Sendable () -> Pager

  /// Starts with the first page.
  public func makeAsyncIterator() -> Iterator { Iterator(makePager: makePager) }

  /// Loads the pages one by one.
  public struct Iterator: AsyncIteratorProtocol {
    let makePager: @MainActor @Sendable () -> Pager
    private var pager: Pager?

    init(makePager: @escaping @MainActor @Sendable () -> Pager) { self.makePager = makePager }

    /// The next page; nil after the last. Throws the error of its load, or
    /// `APIError.Reason.pagingBroken`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(APIError) -> Page? {
      let pager: Pager
      if let known = self.pager {
        pager = known
      } else {
        pager = await makePager()
        self.pager = pager
      }
      return try await pager.nextPage()
    }
  }
}

extension PageableAPIManager {
  /// All pages of the list with these parameters.
  ///
  /// ```swift
  /// for try await page in homes.pages(["city": "Ames"]) { show(page.items) }
  /// ```
  /// - Parameters:
  ///   - parameters: Those of the list; nil, the default, asks the `BaseAPIManager.parameterSource` when the iteration begins.
  ///   - loadsAhead: Whether the page after the one returned is loaded meanwhile.
  public func pages(_ parameters: Parameters? = nil, loadsAhead: Bool = false) -> PageSequence {
    PageSequence {
      let pager = Pager(self)
      pager.parameters = parameters ?? self.parameterSource?.parameters(for: self) ?? Parameters()
      (pager.keepsDelivered, pager.loadsAhead) = (false, loadsAhead)
      return pager
    }
  }
}
