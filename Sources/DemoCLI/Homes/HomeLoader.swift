import APIKit
import Reformers

/// Loads homes of one source or of several at once, and puts them in one order.
@MainActor
struct HomeLoader {
  let session: Session

  /// Homes and how many there are in all.
  struct Homes: Sendable {
    var rows: [PropertyListReformer.Row] = []
    var total = 0
    /// How many pages were turned to have all of them; nil where one page was asked for.
    var pages: Int?
  }

  /// One page of the homes asked for.
  ///
  /// Of several sources each is loaded up to the page; merged, sorted and cut, they make it. A source that
  /// fails is reported and left out.
  func page(_ query: HomeQuery) async throws -> Homes {
    if query.sources.count == 1 {
      let manager = try query.sources[0].homes(in: session)
      let pages = try await load(query, PropertyListReformer(), with: manager)
      return Homes(rows: pages.last?.output ?? [], total: pages.last?.total ?? 0)
    }
    var query = query
    query.sort = query.sort ?? .price
    let managers = try query.sources.map { try $0.homes(in: session) }
    let loads = managers.map { manager in
      Task { try await load(query, PropertyListReformer(), with: manager, all: true) }
    }
    var merged = Homes()
    for load in loads {
      do {
        let pages = try await load.value
        merged.rows += pages.flatMap(\.output)
        merged.total += pages.first?.total ?? 0
      } catch {
        session.report(error)
      }
    }
    let sorted = merged.rows.sorted { Self.precedes($0, $1, in: query) }
    merged.rows = Array(sorted.dropFirst((query.page - 1) * query.size).prefix(query.size))
    return merged
  }

  /// All homes asked for, page by page, of several sources side by side. A source that fails is reported and
  /// left out.
  func all(_ query: HomeQuery) async throws -> Homes {
    let group = ManagerGroup(.settleAll)
    let lists = try query.sources.map { source in
      let manager = try source.homes(in: session)
      return group.add(MemberWork(source.title) { try await allRows(of: manager, query) })
    }
    let results = try await group.landing()
    for failure in results.failures { session.report(failure.error) }
    let whole = lists.compactMap { results.value(of: $0) }
    var homes = Homes(rows: whole.flatMap(\.rows))
    homes.total = homes.rows.count
    homes.pages = whole.reduce(0) { $0 + $1.pages }
    guard query.sort != nil || query.sources.count > 1 else { return homes }
    homes.rows.sort { Self.precedes($0, $1, in: query) }
    return homes
  }

  private func allRows(
    of manager: some HomesManager, _ query: HomeQuery
  ) async throws -> (rows: [PropertyListReformer.Row], pages: Int) {
    let parameters = query.parameters(page: 1).removing(["page", "size"])
    var rows: [PropertyListReformer.Row] = []
    var pages = 0
    for try await page in manager.pages(for: parameters) {
      session.note(page.response.provenance)
      rows += try page.response.data(with: PropertyListReformer())
      pages += 1
    }
    return (rows, pages)
  }

  /// Points of the map, of as many pages as hold `limit` of them.
  func points(_ query: HomeQuery, from source: HomeSource, limit: Int) async throws -> [PropertyMapReformer
    .Point]
  {
    var query = query
    query.size = min(100, limit)
    query.page = (limit + query.size - 1) / query.size
    let manager = try source.homes(in: session)
    let pages = try await load(query, PropertyMapReformer(), with: manager, all: true)
    return Array(pages.flatMap(\.output).prefix(limit))
  }

  private struct Page<Output: Sendable>: Sendable {
    var output: [Output]
    var total: Int
  }

  /// The query's page, or all pages up to it; ends early where the homes do.
  private func load<Output>(
    _ query: HomeQuery, _ reformer: some Reformer<[Output]>, with manager: any HomesManager,
    all: Bool = false
  ) async throws -> [Page<Output>] {
    // A cursor leads from page to page, so new homes are always loaded from the first.
    let first = all || manager is NewHomesManager ? 1 : query.page
    var pages: [Page<Output>] = []
    for number in first...query.page {
      session.note(try await manager.response(for: query.parameters(page: number)).provenance)
      let output = try await manager.fetchDataInBackground(with: reformer)
      let total = try manager.fetchData(with: PropertyTotalReformer()) ?? output.count
      pages.append(Page(output: output, total: total))
      if number * query.size >= total, number < query.page {
        if !all { pages.append(Page(output: [], total: total)) }
        break
      }
    }
    return pages
  }

  private static func precedes(
    _ left: PropertyListReformer.Row, _ right: PropertyListReformer.Row, in query: HomeQuery
  ) -> Bool {
    let (first, second) = query.isDescending ? (right, left) : (left, right)
    switch query.sort {
    case .beds: return first[.beds] < second[.beds]
    case .area: return first[.area] < second[.area]
    case .place: return first[.place] < second[.place]
    case .price, nil: return first[.price] < second[.price]
    }
  }
}
