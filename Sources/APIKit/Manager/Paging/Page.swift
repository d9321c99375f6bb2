/// One page of a list, as it landed.
public struct Page: Sendable {
  /// Its place in the list, from 0.
  public let index: Int
  /// What the load landed with; ``APIResponse/data(with:)`` shows it through a reformer, repeated items
  /// included.
  public let response: APIResponse
  /// Its items, without those whose id was on a page before.
  public let items: [RawData]
  /// How many items were left out because their id was on a page before.
  public let duplicateCount: Int
  /// Whether the list goes on behind it.
  public let hasNext: Bool
}

/// The pages of a list, one after the other: made by ``PageableAPIManager/pages(for:)``.
///
/// A page is loaded when it is asked for and not kept behind that; leaving the loop ends the listing. Each
/// iteration begins anew.
public struct PageSequence: AsyncSequence {
  /// One page.
  public typealias Element = Page
  /// What the iteration throws.
  public typealias Failure = APIError

  let makePager: @MainActor @Sendable () -> Pager

  /// Begins at the first page.
  public func makeAsyncIterator() -> Iterator { Iterator(makePager: makePager) }

  /// Turns the pages.
  public struct Iterator: AsyncIteratorProtocol {
    let makePager: @MainActor @Sendable () -> Pager
    private var pager: Pager?

    init(makePager: @escaping @MainActor @Sendable () -> Pager) { self.makePager = makePager }

    /// The next page; nil after the last. Throws what its load failed with, or
    /// ``APIError/Reason/pagingBroken``.
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
  /// All pages of the list that these parameters ask for.
  ///
  /// ```swift
  /// for try await page in homes.pages(for: ["city": "Ames"]) { show(page.items) }
  /// ```
  public func pages(for parameters: Parameters = [:]) -> PageSequence {
    PageSequence {
      let pager = Pager(self)
      pager.parameters = parameters
      pager.keepsDelivered = false
      return pager
    }
  }
}
