import APIKit

extension StatisticsReport {
  /// The counts since the beginning in the text form of OpenMetrics 1.0, for Prometheus and others.
  ///
  /// Of each API: `apikit_loads_total` by outcome, `apikit_failures_total` by reason, the histogram
  /// `apikit_load_duration_seconds` of loads that were not cancelled, `apikit_sent_bytes_total` and
  /// `apikit_received_bytes_total`. The counts only rise, so the text may be read at any interval. Its media type is
  /// ``openMetricsType``.
  /// - SeeAlso: <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>
  public var openMetrics: String {
    var text = MetricsText()
    text.family("apikit_loads", "counter", help: "Loads that have landed.")
    for totals in totals {
      for (outcome, count) in [
        ("succeeded", totals.succeeded), ("failed", totals.failed), ("cancelled", totals.cancelled),
      ] {
        text.sample("apikit_loads_total", totals.labels + [("outcome", outcome)], value: String(count))
      }
    }
    text.family("apikit_failures", "counter", help: "Failed loads by the label of their error.")
    for totals in totals {
      for (reason, count) in totals.reasons.sorted(by: { $0.key < $1.key }) {
        text.sample("apikit_failures_total", totals.labels + [("reason", reason)], value: String(count))
      }
    }
    text.family(
      "apikit_load_duration_seconds", "histogram", help: "From the call of load to the landing.",
      unit: "seconds")
    for totals in totals {
      for bound in Self.bounds {
        text.sample(
          "apikit_load_duration_seconds_bucket",
          totals.labels + [("le", String(Double(bound) / 1_000_000))],
          value: String(totals.durations.count(upTo: bound)))
      }
      let count = String(totals.durations.count)
      text.sample("apikit_load_duration_seconds_bucket", totals.labels + [("le", "+Inf")], value: count)
      text.sample("apikit_load_duration_seconds_count", totals.labels, value: count)
      text.sample(
        "apikit_load_duration_seconds_sum", totals.labels, value: String(totals.durations.sum / .seconds(1)))
    }
    text.family("apikit_sent_bytes", "counter", help: "Bytes of request bodies on the wire.", unit: "bytes")
    for totals in totals { text.sample("apikit_sent_bytes_total", totals.labels, value: String(totals.sent)) }
    text.family(
      "apikit_received_bytes", "counter", help: "Bytes of response bodies on the wire.", unit: "bytes")
    for totals in totals {
      text.sample("apikit_received_bytes_total", totals.labels, value: String(totals.received))
    }
    return text.text + "# EOF\n"
  }

  /// `application/openmetrics-text; version=1.0.0; charset=utf-8`.
  public static let openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  /// Once, twice and five times each power of ten from 1 ms to 100 s, in microseconds.
  private static let bounds = DurationHistogram.bounds.filter { bound in
    bound >= 1_000 && "125".contains(String(bound).first ?? "0")
      && String(bound).dropFirst().allSatisfy { $0 == "0" }
  }
}

extension FlightStatistics.Totals {
  fileprivate var labels: [(String, String)] {
    [("service", api.service), ("method", api.method.rawValue), ("api", api.name)]
  }
}

/// Families and samples, line by line.
private struct MetricsText {
  var text = ""

  mutating func family(_ name: String, _ type: String, help: String, unit: String? = nil) {
    text += "# TYPE \(name) \(type)\n"
    if let unit { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(help)\n"
  }

  mutating func sample(_ name: String, _ labels: [(String, String)], value: String) {
    let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    text += "\(name){\(list)} \(value)\n"
  }

  /// By characters, CR LF is one and would slip through.
  private static func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": output += "\\\\"
      case "\"": output += "\\\""
      case "\n": output += "\\n"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
