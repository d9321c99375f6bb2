import APIKit

/// Keeps which pages of a list are loaded and which may be requested: a state machine without tasks, time
/// or sockets.
///
/// Each allowed move returns a request; the contents of its response go in. At most one request is open: a
/// later request replaces an earlier one, whose response is then ignored.
struct PageStore {
  /// The position of a page, in the terms of the strategy.
  enum Position: Hashable {
    case number(Int)
    case offset(Int)
    /// Compared by its bytes: it is the server's.
    case cursor(ExactText?)
    case link(Target?)
    /// There is a page, but it must not be requested, for this reason.
    case refused(String)
  }

  /// Where a link leads: a path of the list's origin, and the parameters of its query.
  struct Target: Hashable {
    /// The path, and behind a question mark the part of the query that parameters cannot express, e.g. a name that stands twice.
    let path: String
    let parameters: Parameters
    /// All names of the query.
    let names: Set<ExactText>

    /// Whether the query has a parameter of the list, which is written under several names where it holds several values.
    func states(_ name: String, _ value: ParameterValue) -> Bool {
      if names.contains(ExactText(name)) { return true }
      switch value {
      case .array, .object:
        return names.contains { known in
          ["[", "."].contains { known.text.utf8.starts(with: (name + $0).utf8) }
        }
      default: return false
      }
    }
  }

  enum Move: Equatable {
    case first
    case refresh
    case next
    case previous
    case jump(Int)
  }

  struct Request: Equatable {
    let move: Move
    let index: Int
    let position: Position
    fileprivate let ticket: Int

    /// Whether it continues the loaded pages, or is at a position that one of them has named.
    var needsOtherPages: Bool {
      switch (move, position) {
      case (.first, _), (.refresh, _): false
      case (.next, _), (.previous, _): true
      case (.jump, .cursor(.some)), (.jump, .link(.some)): true
      case (.jump, _): false
      }
    }
  }

  /// What one page contains.
  struct Contents {
    /// The ids of its items in their order; nil for an item without an id.
    var ids: [String?]
    var total: Int?
    /// The positions that its cursors or links lead to.
    var next: Position?
    var previous: Position?
    /// Whether its bytes equal those of the page loaded before it.
    var isSameAsBefore = false
  }

  struct LoadedPage: Equatable {
    let index: Int
    let position: Position
    let count: Int
    let next: Position?
    let previous: Position?
  }

  /// The index beyond which no page is asked for, so that no position overflows.
  private static let furthestIndex = Int(Int32.max)

  var paging: Paging
  /// The loaded pages, without gaps.
  private(set) var entries: [LoadedPage] = []
  private(set) var total: Int?
  /// The request under way.
  private(set) var open: Request?
  /// The error that ends the list, because the server contradicts itself.
  private(set) var fault: APIError?
  /// The most items of a page that another followed; nil while none did.
  private var sentSize: Int?
  private var seen: Set<ExactText> = []
  private var visited: Set<Position> = []
  private var lastTicket = 0

  init(_ paging: Paging) { self.paging = paging }

  var hasNext: Bool { entries.last?.next != nil && fault == nil }
  var hasPrevious: Bool { entries.first?.previous != nil }

  /// Removes all pages and the open request.
  mutating func reset() {
    removePages()
    sentSize = nil
  }

  private mutating func removePages() {
    (entries, total, open, fault, seen, visited) = ([], nil, nil, nil, [], [])
  }

  /// Removes the open request.
  mutating func abandon() { open = nil }

  // MARK: Requests

  /// The request for a move. Throws when there is no such page, or when the list has ended with an error.
  mutating func request(_ move: Move) throws(APIError) -> Request {
    let target = try target(of: move)
    if case .refused(let words) = target.position { throw APIError(.response, .linkRefused, words) }
    lastTicket += 1
    let request = Request(move: move, index: target.index, position: target.position, ticket: lastTicket)
    open = request
    return request
  }

  private func target(of move: Move) throws(APIError) -> (index: Int, position: Position) {
    switch move {
    case .first, .refresh: return (0, begin)
    case .next:
      guard let last = entries.last else { return (0, begin) }
      if let fault { throw fault }
      guard let next = last.next else {
        throw APIError(.takeoff, .noSuchPage, "page \(last.index + 1) was the last")
      }
      guard entries.count < paging.maximumPages else {
        throw APIError(
          .takeoff, .pagingBroken,
          "the list has not ended after \(entries.count) pages; raise Paging.maximumPages if it may be longer"
        )
      }
      return (last.index + 1, next)
    case .previous:
      guard let first = entries.first, let previous = first.previous else {
        throw APIError(.takeoff, .noSuchPage, "there is no page before the first")
      }
      return (first.index - 1, previous)
    case .jump(let index):
      if let known = entries.first(where: { $0.index == index }) { return (index, known.position) }
      guard (0...Self.furthestIndex).contains(index) else {
        throw APIError(.takeoff, .noSuchPage, "there is no page with the index \(index)")
      }
      guard let position = position(of: index) else {
        throw APIError(
          .takeoff, .noSuchPage, "page \(index + 1) can only be reached from the page before it")
      }
      return (index, position)
    }
  }

  private var begin: Position {
    switch paging.strategy {
    case .pageNumber(_, _, let first): .number(first)
    case .offset: .offset(0)
    case .cursor: .cursor(nil)
    case .link: .link(nil)
    }
  }

  private func position(of index: Int) -> Position? {
    switch paging.strategy {
    case .pageNumber(_, _, let first): Self.sum(first, index).map { .number($0) }
    case .offset: items(before: index).map { .offset($0) }
    case .cursor, .link: index == 0 ? begin : nil
    }
  }

  /// How many items a list has before a page of full ones; nil for more than can be counted.
  private func items(before index: Int) -> Int? {
    let (count, isBeyond) = index.multipliedReportingOverflow(by: paging.pageSize)
    return isBeyond ? nil : count
  }

  private static func sum(_ one: Int, _ other: Int) -> Int? {
    let (sum, isBeyond) = one.addingReportingOverflow(other)
    return isBeyond ? nil : sum
  }

  // MARK: Responses

  /// Whether a request is still the open one.
  func isOpen(_ request: Request) -> Bool { open == request }

  /// A page has been loaded. Returns the indexes of its new items, or nil when the request is no longer the
  /// open one.
  ///
  /// Throws when the page contradicts those before; the list then ends.
  mutating func landed(_ request: Request, _ contents: Contents) throws(APIError) -> [Int]? {
    guard isOpen(request) else { return nil }
    open = nil
    switch request.move {
    case .first, .refresh, .jump: removePages()
    case .next, .previous: break
    }
    let fresh = freshItems(contents.ids)
    let missing = missingItems(behind: request, contents)
    let isKnown = !visited.insert(request.position).inserted
    // When the total has changed, the same items may rightly appear again.
    let hasChanged = contents.total.map { $0 != total } ?? false
    let repeats =
      !entries.isEmpty && !contents.ids.isEmpty && !hasChanged && (fresh.isEmpty || contents.isSameAsBefore)
    guard !isKnown, !repeats, missing == 0 else {
      let words =
        isKnown
        ? "the server leads to page \(request.index + 1) where it has led before"
        : repeats
          ? "page \(request.index + 1) has nothing that was not on the pages before it"
          : "page \(request.index + 1) has \(contents.ids.count) items, and \(missing) are missing up to the page after it; "
            + "state a Paging.pageSize that the server sends"
      let fault = APIError(.response, .pagingBroken, words)
      self.fault = fault
      throw fault
    }
    total = contents.total ?? total
    let entry = LoadedPage(
      index: request.index, position: request.position, count: contents.ids.count,
      next: next(after: request, contents), previous: previous(before: request, contents))
    if entry.next != nil, entry.count > 0 { sentSize = max(sentSize ?? 0, entry.count) }
    if request.move == .previous { entries.insert(entry, at: 0) } else { entries.append(entry) }
    return fresh
  }

  /// How many items are missing between a page before the loaded ones and these: a server may send fewer than are requested.
  /// None where its list has become shorter.
  private func missingItems(behind request: Request, _ contents: Contents) -> Int {
    guard request.move == .previous, case .offset(let offset) = request.position,
      case .offset(let first)? = entries.first?.position, !contents.ids.isEmpty
    else { return 0 }
    let end = offset + contents.ids.count
    return contents.total.map { end >= $0 } == true ? 0 : max(0, first - end)
  }

  private mutating func freshItems(_ ids: [String?]) -> [Int] {
    ids.indices.filter { place in
      guard let id = ids[place] else { return true }
      return seen.insert(ExactText(id)).inserted
    }
  }

  private func next(after request: Request, _ contents: Contents) -> Position? {
    let count = contents.ids.count
    switch request.position {
    case .number(let number): return isEnd(request, count) ? nil : Self.sum(number, 1).map { .number($0) }
    case .offset(let offset): return isEnd(request, count) ? nil : Self.sum(offset, count).map { .offset($0) }
    case .cursor, .link, .refused: return contents.next
    }
  }

  private func previous(before request: Request, _ contents: Contents) -> Position? {
    switch request.position {
    case .number(let number): return request.index > 0 ? .number(number - 1) : nil
    case .offset(let offset): return offset > 0 ? .offset(max(0, offset - paging.pageSize)) : nil
    case .cursor, .link, .refused: return contents.previous
    }
  }

  /// An empty page ends a list whatever the total is, because the list may have become shorter. Without a
  /// total, a page with fewer items than requested ends it too.
  private func isEnd(_ request: Request, _ count: Int) -> Bool {
    // The page after it is loaded.
    if request.move == .previous { return false }
    if count == 0 { return true }
    guard let total else { return count < paging.pageSize }
    if case .offset(let offset) = request.position { return Self.sum(offset, count) ?? .max >= total }
    let isWhole = (entries.first?.index ?? request.index) == 0
    let before =
      isWhole ? entries.reduce(0) { $0 + $1.count } : itemsBeforeJump(to: request.index, count, total)
    return Self.sum(before, count) ?? .max >= total
  }

  /// How many items are before a page behind a jump. A server may send fewer than requested on every page: then each page has
  /// as many as the largest that another page followed.
  private func itemsBeforeJump(to index: Int, _ count: Int, _ total: Int) -> Int {
    let requested = items(before: index) ?? .max
    // As yet, no page says that the server sends fewer, and this is the last of full ones.
    if sentSize == nil, Self.sum(requested, count) == total { return requested }
    return min(requested, index * max(sentSize ?? 0, count))
  }
}
