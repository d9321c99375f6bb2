/// One page of a list.
public struct Page: Sendable {
  /// Its index in the list, from 0.
  public let index: Int
  /// The response. A reformer applied to it by ``APIResponse/data(with:)`` sees repeated items as well.
  public let response: APIResponse
  /// Its items, without those whose id was on an earlier page.
  public let items: [RawData]
  /// The number of items left out because their id was on an earlier page.
  public let duplicateCount: Int
  /// Whether there is a page after it.
  public let hasNext: Bool
}

/// The pages of a list in order: made by ``PageableAPIManager/pages(for:)``.
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
  /// All pages of the list with these parameters.
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
