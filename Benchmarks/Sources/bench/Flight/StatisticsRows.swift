import APIKit
import APIKitReports
import APIKitTesting
import Foundation

/// What statistics cost: a stub's load with them against one without, a snapshot, and the memory of a million loads.
func statistics(_ measurement: Measurement) async {
  let names = (
    load: "a stub's load with statistics, against one without", snapshot: "a report of 1,000 loads",
    memory: "heap that a million loads add to statistics", each: "heap of a load that statistics keep"
  )
  if measurement.wants(names.load) { await compareLoads(measurement, names.load) }
  if measurement.wants(names.snapshot) { await timeReport(measurement, names.snapshot) }
  if measurement.wants(names.memory) { await weigh(measurement, names.memory) }
  if measurement.wants(names.each) { await weighEach(measurement, names.each) }
}

private func compareLoads(_ measurement: Measurement, _ name: String) async {
  let loads = 20_000
  let service = ControlledService(
    transport: StubTransport(.json(#"{"items": []}"#), keepsRequests: false))
  var best = (off: Double.infinity, on: Double.infinity)
  let statistics = FlightStatistics()
  for _ in 0..<measurement.rounds * 3 {
    best.off = min(best.off, await ControlledDriver.run(service: service, loads: loads))
    statistics.isOn = true
    best.on = min(best.on, await ControlledDriver.run(service: service, loads: loads))
    statistics.isOn = false
  }
  let note = String(
    format: "%.2f against %.2f µs", best.on / Double(loads) * 1e6, best.off / Double(loads) * 1e6)
  measurement.record(name, best.on / best.off, "x", bar: .atMost(1.05), note: note)
}

private func timeReport(_ measurement: Measurement, _ name: String) async {
  let statistics = FlightStatistics()
  let load = await aLoad()
  for _ in 0..<1000 { statistics.add(load) }
  let seconds = measurement.seconds {
    let report = statistics.report
    keep((report.byAPI, report.byService, report.byHost, report.slow(longerThan: .milliseconds(1))))
  }
  measurement.record(name, seconds * 1e3, "ms", bar: .atMost(5))
}

private func weigh(_ measurement: Measurement, _ name: String) async {
  let statistics = FlightStatistics()
  let load = await aLoad()
  for _ in 0..<2000 { statistics.add(load) }
  let before = ProcessUse.heap
  for _ in 0..<1_000_000 { statistics.add(load) }
  let growth = max(0, ProcessUse.heap - before)
  measurement.record(name, Double(growth) / 1024, "KiB", bar: .atMost(64))
  keep(statistics)
}

private func weighEach(_ measurement: Measurement, _ name: String) async {
  let count = 10_000
  let statistics = FlightStatistics(capacity: count)
  statistics.isOn = true
  defer { statistics.isOn = false }
  // The log keeps records of its own, which are no matter here.
  _ = await ControlledDriver.run(service: ControlledService(), loads: 1000)
  statistics.reset()
  let before = ProcessUse.heap
  _ = await ControlledDriver.run(service: ControlledService(), loads: count)
  let growth = max(0, ProcessUse.heap - before)
  measurement.record(name, Double(growth) / Double(count), "bytes", bar: .atMost(1024))
  keep(statistics)
}

/// One that has really landed.
private func aLoad() async -> LandedLoad {
  let statistics = FlightStatistics()
  statistics.isOn = true
  defer { statistics.isOn = false }
  _ = await ControlledDriver.run(service: ControlledService(), loads: 1)
  guard let load = statistics.report.loads.first else { fatalError("nothing has landed") }
  return load
}
