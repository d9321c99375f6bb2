/// Turns the pages of one list and keeps them.
///
/// ```swift
/// let pager = Pager(homes)
/// pager.delegate = self
/// pager.loadFirst(["city": "Ames"])    // then pager.loadNext() when the user comes to the end
/// ```
/// Lives on the main actor and holds its manager. One page is loaded at a time: a move forward or back while
/// another is under way is refused with ``APIError/Reason/alreadyLoading``; a first page, a refresh or a jump
/// takes its place and cancels it. Releasing the pager cancels the page being loaded, and nothing is told.
@MainActor public final class Pager {
  /// Where the pages land. Weak.
  public weak var delegate: (any PagerDelegate)?
  /// The manager whose loads bring the pages.
  public let manager: any PageableAPIManager
  /// The pages that are there, in the order of the list and without gaps.
  public private(set) var pages: [Page] = []
  /// What the list is asked for, without what turns its pages. Setting other ones forgets the pages.
  public var parameters: Parameters {
    get { given ?? Parameters() }
    set {
      guard newValue != given else { return }
      given = newValue
      reset()
    }
  }

  private var given: Parameters?
  private var asksSource = false
  private var ledger: PageLedger
  /// The load of the page asked for last; ends with what it failed with.
  private var task: Task<APIError?, Never>?
  private var delivered = 0
  /// Whether pages stay when the next was delivered; a sequence gives them away one by one.
  var keepsDelivered = true

  /// Makes a pager without pages.
  public init(_ manager: any PageableAPIManager) {
    self.manager = manager
    ledger = PageLedger(manager.paging)
  }

  deinit { task?.cancel() }

  /// All items that are there, each id once.
  public var items: [RawData] { pages.flatMap(\.items) }
  /// How many items the server says there are in all; nil while it has not.
  public var total: Int? { ledger.total }
  /// Whether there is a page behind the last one that is there. True before the first was loaded.
  public var hasNext: Bool { pages.isEmpty ? ledger.fault == nil : ledger.hasNext }
  /// Whether there is a page before the first one that is there.
  public var hasPrevious: Bool { ledger.hasPrevious }
  /// Whether a page is being loaded.
  public var isLoading: Bool { ledger.open != nil }

  // MARK: Moves

  /// Begins a list: forgets all pages and loads the first.
  ///
  /// - Parameter parameters: What to ask for; nil, the default, keeps ``parameters``, or asks the manager's
  ///   parameter source where none were ever given. When the source gives others by the time of a later page,
  ///   the list begins anew by itself.
  /// - Returns: Why the load was refused; nil when it was not.
  @discardableResult public func loadFirst(_ parameters: Parameters? = nil) -> APIError? {
    if let parameters {
      (given, asksSource) = (parameters, false)
    } else if given == nil || asksSource, let source = manager.parameterSource {
      (given, asksSource) = (source.parameters(for: manager), true)
    }
    reset()
    return load(.first)
  }

  /// Loads the page behind the last one; the first when none is there.
  ///
  /// - Returns: Why the load was refused: ``APIError/Reason/noSuchPage`` at the end of the list, and
  ///   ``APIError/Reason/linkRefused`` where its link is not followed; nil when it was not.
  @discardableResult public func loadNext() -> APIError? { turn(.next) }

  /// Loads the page before the first one that is there, after ``go(to:)``.
  @discardableResult public func loadPrevious() -> APIError? { turn(.previous) }

  /// Loads the first page anew, past the cache. The pages that are there stay until it lands.
  @discardableResult public func refresh() -> APIError? { load(.refresh) }

  /// Loads the page of this place, from 0, and forgets the others when it lands. Cursors and links lead only
  /// to pages that are there: others are refused with ``APIError/Reason/noSuchPage``.
  @discardableResult public func go(to index: Int) -> APIError? { load(.jump(index)) }

  /// Says that the item of this place has come into view: loads the next page when no more than
  /// ``Paging/prefetchDistance`` items are left behind it.
  public func itemShown(at index: Int) {
    let distance = ledger.paging.prefetchDistance
    guard distance > 0, !isLoading, ledger.hasNext else { return }
    let count = pages.reduce(0) { $0 + $1.items.count }
    if count - 1 - index < distance { loadNext() }
  }

  /// Cancels the page being loaded, if there is one. The pages that are there stay; the delegate is told before
  /// this returns.
  public func cancel() {
    guard let open = ledger.open else { return }
    ledger.abandon()
    task?.cancel()
    delegate?.pager(self, didCancelPage: open.index, because: .byCaller)
  }

  /// The page behind the last one this was called for, loaded when it is not there; nil at the end.
  func nextPage() async throws(APIError) -> Page? {
    if delivered < pages.count { return deliver() }
    guard hasNext else {
      if let fault = ledger.fault { throw fault }
      return nil
    }
    if !isLoading, let refusal = load(.next) { throw refusal }
    guard let task else { return nil }
    let error = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    if let error { throw error }
    return delivered < pages.count ? deliver() : nil
  }

  private func deliver() -> Page {
    let page = pages[delivered]
    delivered += 1
    // The last one stays, to be compared with the next.
    if !keepsDelivered, delivered > 1 {
      pages.removeFirst(delivered - 1)
      delivered = 1
    }
    if ledger.paging.prefetchDistance > 0, delivered == pages.count, ledger.hasNext { load(.next) }
    return page
  }
}

// MARK: - Insides

extension Pager {
  private func reset() {
    let (replaced, hadPages) = (ledger.open, !pages.isEmpty)
    task?.cancel()
    ledger.reset()
    ledger.paging = manager.paging
    (pages, delivered) = ([], 0)
    if let replaced { delegate?.pager(self, didCancelPage: replaced.index, because: .superseded) }
    if hadPages { delegate?.pagerDidReset(self) }
  }

  /// A move from page to page: not while another is under way, and not when the list is another by now.
  private func turn(_ move: PageLedger.Move) -> APIError? {
    if asksSource, let now = manager.parameterSource?.parameters(for: manager), now != given {
      return loadFirst()
    }
    guard !isLoading else {
      return APIError(
        .takeoff, .alreadyLoading, "page \((ledger.open?.index ?? 0) + 1) is already being loaded")
    }
    return load(move)
  }

  @discardableResult private func load(_ move: PageLedger.Move) -> APIError? {
    let replaced = ledger.open
    let request: PageLedger.Request
    do throws(APIError) { request = try ledger.request(move) } catch { return error }
    task?.cancel()
    let (manager, parameters) = (manager, parameters(for: request))
    let use: CacheUse = move == .refresh ? .ignoring : .asPolicy
    task = Task { [weak self] in
      let result: Result<APIResponse, APIError>
      do throws(APIError) {
        result = .success(try await manager.response(for: parameters, cache: use))
      } catch {
        result = .failure(error)
      }
      return self?.landed(request, result)
    }
    if let replaced { delegate?.pager(self, didCancelPage: replaced.index, because: .superseded) }
    return nil
  }

  private func parameters(for request: PageLedger.Request) -> Parameters {
    let paging = ledger.paging
    var parameters = parameters
    switch (paging.strategy, request.position) {
    case (.pageNumber(let name, let size, _), .number(let number)):
      if let size { parameters[size] = .integer(paging.size) }
      parameters[name] = .integer(number)
    case (.offset(let name, let limit), .offset(let offset)):
      if let limit { parameters[limit] = .integer(paging.size) }
      parameters[name] = .integer(offset)
    case (.cursor(let name, _, _, let size), .cursor(let cursor)):
      if let size { parameters[size] = .integer(paging.size) }
      if let cursor { parameters[name] = .string(cursor) }
    case (.link(let size), .link(let target)):
      if let size { parameters[size] = .integer(paging.size) }
      if let target { parameters.merge(target) }
    default: break
    }
    return parameters
  }

  /// Takes in what a load has landed with, if its page is still wanted. Gives what it failed with.
  private func landed(
    _ request: PageLedger.Request, _ result: Result<APIResponse, APIError>
  ) -> APIError? {
    guard ledger.isOpen(request) else {
      return APIError(.takeoff, .cancelled, "the page was cancelled before it landed")
    }
    do throws(APIError) {
      let page = try enter(try result.get(), request)
      delegate?.pager(self, didLoad: page)
      return nil
    } catch {
      ledger.abandon()
      delegate?.pager(self, didFailWith: error)
      return error
    }
  }

  /// Puts a page into the ledger and among the pages.
  private func enter(_ response: APIResponse, _ request: PageLedger.Request) throws(APIError) -> Page {
    let all = Array(response.raw.at(ledger.paging.items).elements)
    let contents = PageReader(paging: ledger.paging, service: manager.service)
      .read(response, all, before: request.move == .next ? pages.last?.response : nil)
    let fresh = try ledger.landed(request, contents) ?? []
    let hasNext = ledger.entries.first { $0.index == request.index }?.next != nil
    let page = Page(
      index: request.index, response: response, items: fresh.map { all[$0] },
      duplicateCount: all.count - fresh.count, hasNext: hasNext)
    switch request.move {
    case .first, .refresh, .jump: (pages, delivered) = ([page], 0)
    case .next: pages.append(page)
    case .previous:
      pages.insert(page, at: 0)
      delivered += 1
    }
    return page
  }
}
