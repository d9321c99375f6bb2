public import APIKit

/// Loads the pages of one list and keeps them.
///
/// ```swift
/// let pager = Pager(homes)
/// pager.delegate = self
/// pager.loadFirst(["city": "Ames"])    // then pager.loadNext() when the user reaches the end
/// ```
/// Isolated to the main actor; holds its manager strongly. One page is loaded at a time. ``loadNext()`` and
/// ``loadPrevious()`` are refused with `APIError.Reason.alreadyLoading` while a page is being loaded;
/// ``loadFirst(_:)``, ``refresh()`` and ``go(to:)`` cancel that load and replace it. Releasing the pager
/// cancels the load, and nothing is delivered.
///
/// The pages belong to one user, or to none when nobody is signed in. When another user has signed in, or the user has
/// signed out, ``loadNext()`` and ``loadPrevious()`` fail with `APIError.Reason.signedOut`; ``loadFirst(_:)`` and
/// ``refresh()`` begin the list of the present user. When the environment of the service was switched, further pages come from
/// the one in which the list began, until ``loadFirst(_:)`` or ``refresh()``.
@MainActor public final class Pager {
  /// Receives the pages. Weak.
  public weak var delegate: (any PagerDelegate)?
  /// The manager that loads the pages.
  public let manager: any PageableAPIManager
  /// The loaded pages, in the order of the list and without gaps.
  public private(set) var pages: [Page] = []
  /// The parameters of the list, without those of the paging. Setting different ones removes the pages.
  public var parameters: Parameters {
    get { given ?? Parameters() }
    set {
      // Also where they are those of the parameter source: from here on it is not asked.
      asksSource = false
      guard newValue != given else { return }
      given = newValue
      let tell = reset()
      tell()
    }
  }

  private var given: Parameters?
  private var asksSource = false
  private var store: PageStore
  /// Whose list it is: the user of the load that began it.
  private var owner: LoadOwner?
  /// The environment of that load.
  private var environment: ServiceEnvironment?
  /// The load of the page requested last; its value is the error that it failed with.
  private var task: Task<APIError?, Never>?
  private var delivered = 0
  /// Whether pages are kept after the next was returned. False for a sequence, which returns them one by
  /// one.
  var keepsDelivered = true
  /// Whether a sequence loads the page after the one that it returns.
  var loadsAhead = false
  /// Whether the page after the one that was returned has been requested ahead: its failure is that of the next call.
  private var isAhead = false

  /// Makes a pager without pages.
  public init(_ manager: any PageableAPIManager) {
    self.manager = manager
    store = PageStore(manager.paging)
  }

  deinit { task?.cancel() }

  /// The items of all loaded pages, each id once.
  public var items: [RawData] { pages.flatMap(\.items) }
  /// The rows that a reformer makes of all loaded pages; the rows of repeated items are left out.
  ///
  /// ```swift
  /// rows = try pager.rows(with: HomeRowReformer())
  /// ```
  /// A `Hashable` reformer runs once for each page, so this may be called after each landing.
  /// - Throws: As ``Page/rows(with:)``.
  public func rows<Row>(with reformer: some Reformer<[Row]>) throws(APIError) -> [Row] {
    var rows: [Row] = []
    for page in pages { rows += try page.rows(with: reformer) }
    return rows
  }

  /// The number of items in the whole list according to the server; nil while unknown.
  public var total: Int? { store.total }
  /// Whether there is a page after the last loaded one. True before the first page was loaded.
  public var hasNext: Bool { pages.isEmpty ? store.fault == nil : store.hasNext }
  /// Whether there is a page before the first loaded one.
  public var hasPrevious: Bool { store.hasPrevious }
  /// Whether a page is being loaded.
  public var isLoading: Bool { store.open != nil }

  // MARK: Moves

  /// Starts a list: removes all pages and loads the first.
  ///
  /// - Parameter parameters: The parameters of the list. The default, nil, keeps ``parameters``, or asks
  ///   the manager's parameter source if none were set. If the source returns different parameters when another
  ///   page is requested, or at a ``refresh()``, the list starts anew.
  /// - Returns: The id of the load, or why it was refused. The delegate does not get a refusal.
  @discardableResult public func loadFirst(_ parameters: Parameters? = nil) -> Takeoff {
    if let parameters { (given, asksSource) = (parameters, false) } else { _ = followSource() }
    return begin(.first)
  }

  /// Loads the page after the last loaded one, or the first page if none is loaded.
  ///
  /// - Returns: The id of the load, or why it was refused: `APIError.Reason.noSuchPage` at the end of the list,
  ///   `APIError.Reason.linkRefused` if the link of the page is not followed, and
  ///   `APIError.Reason.alreadyLoading`. The delegate does not get a refusal.
  @discardableResult public func loadNext() -> Takeoff { loadNeighbour(.next) }

  /// Loads the page before the first loaded one, after ``go(to:)``.
  ///
  /// - Returns: The id of the load, or why it was refused. The delegate does not get a refusal.
  @discardableResult public func loadPrevious() -> Takeoff { loadNeighbour(.previous) }

  /// Loads the first page again without using the cache. The loaded pages are kept until it lands; its
  /// ``Page/replacesOthers`` is then true.
  ///
  /// - Returns: The id of the load, or why it was refused. The delegate does not get a refusal.
  @discardableResult public func refresh() -> Takeoff {
    followSource() ? begin(.refresh) : load(.refresh)
  }

  /// Loads the page with this index, from 0. The other pages are removed when it lands, as after ``refresh()``.
  ///
  /// With cursors and links, only loaded pages and the first can be reached; others are refused with
  /// `APIError.Reason.noSuchPage`.
  /// - Returns: The id of the load, or why it was refused. The delegate does not get a refusal.
  @discardableResult public func go(to index: Int) -> Takeoff {
    followSource() ? begin(.jump(index)) : load(.jump(index))
  }

  /// Reports that the item with this index has become visible. Loads the next page when at most
  /// ``Paging/prefetchDistance`` items follow it.
  public func itemShown(at index: Int) {
    guard !isLoading, store.hasNext else { return }
    let count = pages.reduce(0) { $0 + $1.items.count }
    if index >= count - 1 - max(0, store.paging.prefetchDistance) { loadNext() }
  }

  /// Cancels the page being loaded, if there is one. The loaded pages are kept. The cancellation is
  /// delivered before this returns.
  public func cancel() {
    guard let open = store.open else { return }
    store.abandon()
    task?.cancel()
    delegate?.pager(self, didCancelPage: open.index, because: .byCaller)
  }

  /// The page after the one that the last call returned, loaded if necessary; nil at the end.
  func nextPage() async throws(APIError) -> Page? {
    guard !Task.isCancelled else { throw APIError(cancelled: .taskCancelled) }
    if delivered < pages.count { return try deliver() }
    guard hasNext else {
      if let fault = store.fault { throw fault }
      return nil
    }
    if !isLoading, !isAhead, let refusal = load(.next).refusal { throw refusal }
    isAhead = false
    guard let task else { return nil }
    if let error = await task.cancellableValue() { throw error }
    return delivered < pages.count ? try deliver() : nil
  }

  private func deliver() throws(APIError) -> Page {
    // One that was loaded ahead may be of a user who has left.
    if let owner, let objection = manager.objection(to: owner) { throw objection }
    let page = pages[delivered]
    delivered += 1
    // The last page is kept, because the next is compared with it.
    if !keepsDelivered, delivered > 1 {
      pages.removeFirst(delivered - 1)
      delivered = 1
    }
    isAhead = loadsAhead && delivered == pages.count && store.hasNext && load(.next).refusal == nil
    return page
  }
}

// MARK: - Insides

extension Pager {
  /// - Returns: What tells the delegate.
  private func reset() -> () -> Void {
    let (replaced, hadPages) = (store.open, !pages.isEmpty)
    task?.cancel()
    store.reset()
    store.paging = manager.paging
    (pages, delivered, owner, environment) = ([], 0, nil, nil)
    return { [self] in
      if let replaced { delegate?.pager(self, didCancelPage: replaced.index, because: .superseded) }
      if hadPages { delegate?.pagerDidReset(self) }
    }
  }

  /// Starts a list by this move.
  private func begin(_ move: PageStore.Move) -> Takeoff {
    let tell = reset()
    let takeoff = load(move)
    // Behind the bookkeeping: the delegate may cancel what has begun, or begin another list.
    tell()
    return takeoff
  }

  /// Takes the parameters of the source, unless others were set. Returns whether they are those of another list.
  private func followSource() -> Bool {
    guard given == nil || asksSource, let source = manager.parameterSource else { return false }
    let before = parameters
    (given, asksSource) = (source.parameters(for: manager), true)
    return parameters != before
  }

  /// Loads a neighbouring page. Refused while a load is under way; if the parameter source has changed,
  /// the list starts anew.
  private func loadNeighbour(_ move: PageStore.Move) -> Takeoff {
    if followSource() { return begin(.first) }
    guard !isLoading else {
      return .refused(
        APIError(.takeoff, .alreadyLoading, "page \((store.open?.index ?? 0) + 1) is already being loaded"))
    }
    return load(move)
  }

  @discardableResult private func load(_ move: PageStore.Move) -> Takeoff {
    let (replaced, flight) = (store.open, FlightID.next())
    let request: PageStore.Request
    do throws(APIError) { request = try store.request(move) } catch { return .refused(error) }
    task?.cancel()
    let (manager, parameters) = (manager, parameters(for: request))
    let path: String? = if case .link(let target?) = request.position { target.path } else { nil }
    let use: CacheUse = move == .refresh ? .ignoring : .asPolicy
    // Before the owner, so that who signs in meanwhile is the owner.
    let epoch = manager.presentEpoch
    let owner = request.needsOtherPages ? self.owner ?? manager.presentOwner : manager.presentOwner
    let present = manager.service.environments.current
    let environment = request.needsOtherPages ? self.environment ?? present : present
    var options = LoadOptions.none
    options.owner = owner
    let items = store.paging.items
    options.rule = { (response) throws(APIError) in _ = try Self.items(of: response, at: items) }
    task = Task { [weak self, options] in
      var options = options
      // A cursor means something only to the server that has sent it.
      if environment != manager.service.environments.current {
        options.binding = LoadBinding(environment: environment.name, transport: nil)
      }
      let result: Result<APIResponse, APIError>
      do throws(APIError) {
        result = .success(
          try await manager.response(
            given: parameters, path: path, cache: use, options: options, as: flight))
      } catch {
        result = .failure(error)
      }
      return self?.landed(request, result, for: owner, in: environment, since: epoch)
    }
    if let replaced { delegate?.pager(self, didCancelPage: replaced.index, because: .superseded) }
    return .flying(flight)
  }

  private func parameters(for request: PageStore.Request) -> Parameters {
    let paging = store.paging
    var parameters = parameters
    switch (paging.strategy, request.position) {
    case (.pageNumber(let name, let size, _), .number(let number)):
      if let size { parameters[size] = .integer(paging.pageSize) }
      parameters[name] = .integer(number)
    case (.offset(let name, let limit), .offset(let offset)):
      if let limit { parameters[limit] = .integer(paging.pageSize) }
      parameters[name] = .integer(offset)
    case (.cursor(let name, _, _, let size), .cursor(let cursor)):
      if let size { parameters[size] = .integer(paging.pageSize) }
      if let cursor { parameters[name] = .string(cursor.text) }
    case (.link(let size), .link(let target)):
      if let size { parameters[size] = .integer(paging.pageSize) }
      guard let target else { break }
      parameters = parameters.removing(parameters.filter { target.states($0.name, $0.value) }.map(\.name))
      parameters.merge(target.parameters)
    default: break
    }
    return parameters
  }

  /// Handles the result of a load if its page is still wanted. Returns the error that it failed with.
  ///
  /// - Parameter epoch: That of the authenticator when the page was requested.
  private func landed(
    _ request: PageStore.Request, _ result: Result<APIResponse, APIError>, for owner: LoadOwner,
    in environment: ServiceEnvironment, since epoch: Int?
  ) -> APIError? {
    guard store.isOpen(request) else {
      return APIError(.takeoff, .cancelled, "the page was cancelled before it landed")
    }
    do throws(APIError) {
      let response = try result.get()
      // The manager's delegate, who was told before, may have signed the user out.
      if let objection = manager.objection(to: owner) { throw objection }
      let page = try enter(response, request)
      (self.owner, self.environment) = (owner, environment)
      // A list that was begun signed out is not continued for a user who signs in later.
      if let epoch { owner.settle(epoch) }
      delegate?.pager(self, didSucceedWith: page)
      return nil
    } catch {
      store.abandon()
      if let reason = error.cancellation {
        delegate?.pager(self, didCancelPage: request.index, because: reason)
      } else {
        delegate?.pager(self, didFailWith: error)
      }
      return error
    }
  }

  private static func items(of response: APIResponse, at path: RawPath) throws(APIError) -> [RawData] {
    let list = response.raw.at(path)
    // A server may leave out an empty list, or send null; anything else there is no list, and no end of one.
    if list.exists, !list.isNull { try list.require(.array) }
    return Array(list.elements)
  }

  /// Adds a page to the store and to the pages.
  private func enter(_ response: APIResponse, _ request: PageStore.Request) throws(APIError) -> Page {
    let all = try Self.items(of: response, at: store.paging.items)
    let contents = PageReader(paging: store.paging, service: manager.service)
      .read(response, all, before: request.move == .next ? pages.last?.response : nil)
    let fresh = try store.landed(request, contents) ?? []
    let hasNext = store.entries.first { $0.index == request.index }?.next != nil
    let isNeighbour = request.move == .next || request.move == .previous
    let page = Page(
      index: request.index, response: response, items: fresh.map { all[$0] },
      repeated: fresh.count == all.count ? [] : Set(all.indices).subtracting(fresh), hasNext: hasNext,
      replacesOthers: !isNeighbour && !pages.isEmpty)
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

extension PageableAPIManager {
  /// Who is signed in now, for all pages of a list that begins.
  fileprivate var presentOwner: LoadOwner {
    LoadOwner(service.identity, service.wire, signIn: signIn, epoch: nil)
  }

  /// The authenticator's epoch now; nil where a sign-in does not matter.
  fileprivate var presentEpoch: Int? { signIn == .exempt ? nil : service.identity.authenticator?.epoch }

  /// Why the pages of a list may not be shown; nil while its user is the present one.
  fileprivate func objection(to owner: LoadOwner) -> APIError? {
    UserCheck(service.identity, service.wire, signIn: signIn, host: nil).objection(to: owner)
  }
}
