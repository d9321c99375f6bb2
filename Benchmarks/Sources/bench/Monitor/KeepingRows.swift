import APIKit
import APIKitReports
import CMachine
import Foundation

/// What keeping exchanges costs a load, how long a search of 100,000 takes, and how large a page with exchanges is.
func keptExchanges(_ measurement: Measurement) async throws {
  let names = (
    keeping: "keeping an exchange of 5 KB, on the thread of its response",
    search:
      "100,000 kept exchanges searched by host and status, against the same rows of a plain table, bare SQLite",
    text: "a text in the newest 1,000 of them",
    page: "size of a page of 1,000 loads with records and exchanges"
  )
  if measurement.wants(names.keeping) { try await timeKeeping(measurement, names.keeping) }
  if measurement.wants(names.search, names.text) {
    try await search(measurement, names.search, text: names.text)
  }
  if measurement.wants(names.page) { await weighPage(measurement, names.page) }
}

private func withStore(_ work: (ExchangeStore, String) async throws -> Void) async throws {
  let folder = NSTemporaryDirectory() + "apikit-bench-kept-\(UUID().uuidString)"
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let store = try ExchangeStore(path: folder + "/exchanges.sqlite", key: .random(), maximumBytes: 4 << 30)
  store.isOn = true
  try await work(store, folder)
}

/// The processor time of this thread: the writing is done on another one.
private func timeKeeping(_ measurement: Measurement, _ name: String) async throws {
  try await withStore { store, _ in
    let bare = InstantTransport(body: PathFixtures.listing)
    let keeping = store.keeping(bare)
    let request = HTTPRequest(
      url: "https://homes.test/api/homes?page=1",
      headers: ["Accept": "application/json", "Cookie": "session=1"])
    // Fewer than the store lets wait.
    let count = 500
    var best = (bare: Double.infinity, keeping: Double.infinity)
    for _ in 0..<measurement.rounds * 4 {
      best.bare = min(best.bare, time(bare, request, count))
      best.keeping = min(best.keeping, time(keeping, request, count))
      await store.flush()
    }
    guard store.counts.dropped == 0, store.counts.failed == 0 else {
      throw BenchFailure("\(store.counts) of the exchanges were not kept")
    }
    measurement.record(
      name, (best.keeping - best.bare) / Double(count) * 1e6, "µs", bar: .atMost(10),
      note: String(format: "%.2f µs without", best.bare / Double(count) * 1e6))
  }
}

private func time(_ transport: any HTTPTransport, _ request: HTTPRequest, _ count: Int) -> Double {
  let start = threadSeconds()
  for _ in 0..<count { _ = transport.start(HTTPExchange(request)) { keep($0) } }
  return threadSeconds() - start
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

private enum PathFixtures {
  /// About 5 KB of JSON.
  static let listing: [UInt8] = {
    let row = #"{"id": 17, "city": "Suzhou", "price": 1250000, "name": "A house by the lake"}"#
    return Array("{\"items\": [\(Array(repeating: row, count: 60).joined(separator: ","))]}".utf8)
  }()
}

private func search(_ measurement: Measurement, _ name: String, text: String) async throws {
  let count = 100_000
  try await withStore { store, folder in
    let keeping = store.keeping(StatusTransport())
    for number in 0..<count {
      let url = try HTTPURL(
        "https://h\(number % 10).homes.test/api/homes/\(number)?status=\(number % 97 == 0 ? 503 : 200)")
      _ = keeping.start(HTTPExchange(HTTPRequest(url: url))) { keep($0) }
      if number % 500 == 499 { await store.flush() }
    }
    await store.flush()
    guard store.counts.kept == count else { throw BenchFailure("\(store.counts.kept) exchanges were kept") }
    var query = ExchangeQuery()
    (query.host, query.status) = ("h3.homes.test", 500...599)
    let found = try await store.find(query).count
    let plain = folder + "/plain.sqlite"
    guard machine_sqlite_exchanges(plain, Int32(count)) == 0 else { throw BenchFailure("SQLite") }
    guard machine_sqlite_search(plain, "h3.homes.test", 500, 599, 100, nil) == found else {
      throw BenchFailure("the plain table has other rows")
    }
    var best = (ours: Double.infinity, plain: Double.infinity)
    for _ in 0..<measurement.rounds * 4 {
      best.ours = min(best.ours, try await Measurement.seconds { keep(try await store.find(query)) })
      var seconds = 0.0
      _ = machine_sqlite_search(plain, "h3.homes.test", 500, 599, 100, &seconds)
      best.plain = min(best.plain, seconds)
    }
    measurement.record(
      name, best.ours / best.plain, "x", bar: .atMost(3),
      note: String(format: "%.1f against %.1f ms, %d rows", best.ours * 1e3, best.plain * 1e3, found))
    var textQuery = ExchangeQuery()
    textQuery.text = "nowhere to be found"
    var least = Double.infinity
    for _ in 0..<measurement.rounds {
      least = min(least, try await Measurement.seconds { keep(try await store.find(textQuery)) })
    }
    measurement.record(text, least * 1e3, "ms")
  }
}

/// Responds at once, with the status that the query states.
private struct StatusTransport: HTTPTransport {
  var capabilities: TransportCapabilities { [] }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    let status = exchange.request.url.query?.hasSuffix("503") == true ? 503 : 200
    completion(
      .success(
        HTTPResponse(
          status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array("{}".utf8)))))
    return Over()
  }

  private struct Over: CancellableOperation { func cancel() {} }
}

private func weighPage(_ measurement: Measurement, _ name: String) async {
  let statistics = FlightStatistics()
  statistics.isOn = true
  _ = await ControlledDriver.run(service: ControlledService(), loads: 1000)
  statistics.isOn = false
  let report = statistics.report
  var archive = HTTPArchive()
  for load in report.loads {
    var entry = HTTPArchive.Entry(
      secondsSince1970: load.secondsSince1970,
      request: .init(method: .get, url: "https://homes.test/api/homes?page=1", headers: ["Accept": "*/*"]),
      response: .init(
        status: 200, headers: ["Content-Type": "application/json"], body: .init(PathFixtures.listing)))
    entry.flight = load.flight.rawValue
    archive.entries.append(entry)
  }
  let page = ReportPage(report, records: FlightLog.shared.records, archive: archive)
  measurement.record(
    name, Double(page.html.utf8.count) / 1e6, "MB", bar: .atMost(1.5),
    note: "\(FlightLog.shared.records.count) records, \(archive.entries.count) exchanges")
}
