public import APIKit

/// The counts of ``FlightStatistics`` at one moment. A value; it may be kept and read on any thread.
public struct StatisticsReport: Sendable {
  /// The last loads one by one, in the order in which they landed.
  public let loads: [LandedLoad]
  /// The summary of all kept loads.
  public let summary: LoadSummary
  package let totals: [FlightStatistics.Totals]

  /// Loads with a common name.
  public struct Group: Sendable {
    /// The common name: an API's `LandedLoad.API.description`, a service's name, a host.
    public let name: String
    /// The summary of the loads.
    public let summary: LoadSummary
  }

  init(loads: [LandedLoad], totals: [FlightStatistics.Totals] = []) {
    self.loads = loads
    self.totals = totals
    summary = LoadSummary(loads)
  }

  /// Makes a report of loads that the application has kept itself.
  public init(_ loads: [LandedLoad]) { self.init(loads: loads) }

  /// The kept loads that took longer than a limit, the slowest first. A load that took exactly as long is not
  /// included, nor is a cancelled one.
  public func slow(longerThan limit: Duration) -> [LandedLoad] {
    loads.filter { $0.outcome != .cancelled && $0.duration > limit }.sorted { $0.duration > $1.duration }
  }

  /// The kept loads that failed, the latest first.
  public var failed: [LandedLoad] { loads.reversed().filter { $0.outcome == .failed } }

  /// The kept loads by API, the most used first.
  public var byAPI: [Group] { groups { $0.api.description } }
  /// The kept loads by service, the most used first.
  public var byService: [Group] { groups { $0.api.service } }
  /// The kept loads that were sent, by host, the most used first.
  public var byHost: [Group] { groups(\.host) }
  /// The kept loads by the address of the server, if the transport reports it, the most used first.
  public var byAddress: [Group] { groups(\.address) }
  /// The kept loads by the origin of their responses, the most frequent first.
  public var byOrigin: [Group] { groups { $0.origin.rawValue } }

  /// The durations of all loads since the beginning that were not cancelled, including those that are no longer
  /// kept one by one.
  public var durationsSinceStart: DurationHistogram {
    totals.reduce(into: DurationHistogram()) { $0.add($1.durations) }
  }

  /// The number of loads since the beginning, including those that are no longer kept one by one.
  public var totalSinceStart: Int { totals.reduce(0) { $0 + $1.succeeded + $1.failed + $1.cancelled } }

  /// At most 200 groups; the rest is one.
  private func groups(_ name: (LandedLoad) -> String?) -> [Group] {
    var lists: [String: [LandedLoad]] = [:]
    for load in loads { if let name = name(load) { lists[name, default: []].append(load) } }
    let sorted = lists.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var groups = sorted.prefix(FlightStatistics.mostAPIs).map {
      Group(name: $0.key, summary: LoadSummary($0.value))
    }
    let rest = sorted.dropFirst(FlightStatistics.mostAPIs).flatMap(\.value)
    if !rest.isEmpty {
      groups.append(Group(name: FlightStatistics.other.name, summary: LoadSummary(rest)))
    }
    return groups
  }
}

extension StatisticsReport: CustomStringConvertible {
  /// The summary, the statuses, and a line for each API, service and host.
  public var description: String {
    guard !loads.isEmpty else { return "no loads have landed" }
    var lines = [summary.description]
    let statuses = summary.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    lines.append("statuses: \(statuses.isEmpty ? "none" : statuses.joined(separator: ", "))")
    for (title, groups) in [
      ("by API", byAPI), ("by service", byService), ("by host", byHost), ("by origin", byOrigin),
    ] where !groups.isEmpty {
      lines.append("\(title):")
      lines += groups.map { "  \($0.name): \($0.summary)" }
    }
    return lines.joined(separator: "\n")
  }
}
