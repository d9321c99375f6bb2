import APIKit
import APIKitReports
import APIKitTesting
import Foundation

/// How long a full page and a tape of a mebibyte take.
func exports(_ measurement: Measurement) async throws {
  let names = (
    page: "a page of 1,000 loads and 256 records", size: "its size", tape: "opening a tape of 1 MiB"
  )
  if measurement.wants(names.page, names.size) {
    let statistics = FlightStatistics()
    statistics.isOn = true
    _ = await ControlledDriver.run(service: ControlledService(), loads: 1000)
    statistics.isOn = false
    let page = ReportPage(statistics.report, records: FlightLog.shared.records)
    measurement.record(names.page, measurement.seconds { keep(page.html) }, "s", bar: .atMost(3))
    measurement.record(names.size, Double(page.html.utf8.count) / 1e6, "MB", bar: .atMost(1.5))
  }
  guard measurement.wants(names.tape) else { return }
  let text = String(repeating: #"{"id": 17, "city": "Suzhou", "price": 1250000}"#, count: 40)
  let entry = HTTPArchive.Entry(
    secondsSince1970: 0,
    request: .init(
      method: .get, url: "https://homes.test/homes?page=1", headers: ["Accept": "application/json"]),
    response: .init(
      status: 200, headers: ["Content-Type": "application/json"],
      body: .init(Array("[\(text)]".utf8))))
  var archive = HTTPArchive()
  while Tape(archive).data.count < 1 << 20 { archive.entries += Array(repeating: entry, count: 20) }
  let data = Tape(archive).data
  let seconds = try measurement.seconds { keep(TapeTransport(try Tape(data: data))) }
  measurement.record(
    names.tape, seconds * 1e3, "ms", bar: .atMost(50), note: "\(archive.entries.count) entries")
}
