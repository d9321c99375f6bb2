import APIKitPaging
import APIKitGroups
import APIKit
import Reformers

/// Loads homes of one source, or of several at once, and sorts them.
@MainActor
struct HomeLoader {
  let session: Session

  /// Homes and how many there are in all.
  struct Homes: Sendable {
    var rows: [PropertyListReformer.Row] = []
    var total = 0
    /// How many pages were loaded to get all homes; nil when one page was requested.
    var pages: Int?
  }

  /// One page of the homes that the query asks for.
  ///
  /// Of several sources, each is loaded up to the page; the homes are merged and sorted, and the page is
  /// taken from them. A source that fails is reported and left out.
  func page(_ query: HomeQuery) async throws -> Homes {
    if query.sources.count == 1 {
      let manager = try query.sources[0].homes(in: session)
      let pages = try await load(query, PropertyListReformer(), with: manager)
      return Homes(rows: pages.last?.output ?? [], total: pages.last?.total ?? 0)
    }
    var query = query
    query.sort = query.sort ?? .price
    let group = ManagerGroup(.settleAll)
    let asked = query
    let lists = try query.sources.map { source in
      let manager = try source.homes(in: session)
      return group.add(
        MemberWork(source.title) {
          try await load(asked, PropertyListReformer(), with: manager, all: true)
        })
    }
    let results = try await group.landing()
    for failure in results.failures { session.report(failure.error) }
    var merged = Homes()
    for pages in lists.compactMap({ results.value(of: $0) }) {
      merged.rows += pages.flatMap(\.output)
      merged.total += pages.first?.total ?? 0
    }
    let sorted = merged.rows.sorted { Self.precedes($0, $1, in: query) }
    merged.rows = Array(sorted.dropFirst((query.page - 1) * query.size).prefix(query.size))
    return merged
  }

  /// All homes that the query asks for, loaded page by page, several sources side by side. A source that
  /// fails is reported and left out.
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
    for try await page in manager.pages(parameters) {
      session.note(page.response.provenance)
      let homes = try page.response.data(with: PropertyListReformer())
      rows += homes
      pages += 1
      session.showProgress(homes: homes.count)
    }
    return (rows, pages)
  }

  /// Points of the map, from as many pages as are needed for `limit` points.
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

  /// Loads the query's page, or all pages up to it; fewer when the list ends before.
  private func load<Output>(
    _ query: HomeQuery, _ reformer: some Reformer<[Output]>, with manager: any HomesManager,
    all: Bool = false
  ) async throws -> [Page<Output>] {
    // A page of new homes is reached by the cursor of the page before, so they are always loaded from the
    // first page.
    let first = all || manager is NewHomesManager ? 1 : query.page
    var pages: [Page<Output>] = []
    for number in first...query.page {
      session.note(try await manager.response(query.parameters(page: number)).provenance)
      let output = try await manager.fetchDataInBackground(with: reformer)
      let total = try manager.fetchData(with: PropertyTotalReformer()) ?? output.count
      if query.page > 1 { session.showProgress(homes: output.count) }
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
