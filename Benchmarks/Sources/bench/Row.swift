import Foundation

/// What a number must be.
enum Bar {
  case atLeast(Double)
  case atMost(Double)
  case none
}

/// One line of the table.
struct Row {
  let group: String
  let name: String
  let value: Double
  let unit: String
  let bar: Bar
  let note: String

  var passes: Bool? {
    switch bar {
    case .atLeast(let limit): value >= limit
    case .atMost(let limit): value <= limit
    case .none: nil
    }
  }

  /// For people.
  var line: String {
    let value = String(format: "%.2f", value) + " " + unit
    let name = name.padding(toLength: max(46, name.count), withPad: " ", startingAt: 0)
    let padding = String(repeating: " ", count: max(0, 14 - value.count))
    let verdict =
      switch bar {
      case .atLeast(let limit): "bar ≥ \(limit.formatted) \(passes == true ? "pass" : "FAIL")"
      case .atMost(let limit): "bar ≤ \(limit.formatted) \(passes == true ? "pass" : "FAIL")"
      case .none: ""
      }
    return "  \(name)\(padding)\(value)  \(verdict)\(note.isEmpty ? "" : "  (\(note))")"
  }

  /// For other programs.
  static func json(_ rows: [Row]) -> String {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let lines = rows.map { row in
      let bar =
        switch row.bar {
        case .atLeast(let limit): ",\"atLeast\":\(limit)"
        case .atMost(let limit): ",\"atMost\":\(limit)"
        case .none: ""
        }
      let passes = row.passes.map { ",\"passes\":\($0)" } ?? ""
      return
        "{\"group\":\"\(row.group)\",\"name\":\"\(row.name)\",\"value\":\(row.value),\"unit\":\"\(row.unit)\""
        + bar + passes + ",\"note\":\"\(row.note)\"}"
    }
    return "{\"cores\":\(cores),\"rows\":[\n" + lines.joined(separator: ",\n") + "\n]}"
  }

  /// For a document. A name that says what it is compared with is split there.
  static func markdown(_ rows: [Row]) -> String {
    let lines = rows.map { row in
      let parts = row.name.components(separatedBy: ", against ")
      let value = String(format: "%.2f", row.value) + (row.unit == "x" ? "×" : " " + row.unit)
      let bar =
        switch row.bar {
        case .atLeast(let limit): "at least \(limit.formatted)\(row.passes == false ? ", not reached" : "")"
        case .atMost(let limit): "at most \(limit.formatted)\(row.passes == false ? ", not reached" : "")"
        case .none: ""
        }
      return "| \(parts[0]) | \(value) | \(parts.dropFirst().joined(separator: ", against ")) | \(bar) |"
    }
    return (["| what | value | against | bar |", "|---|---:|---|---|"] + lines).joined(separator: "\n")
  }
}

extension Double {
  fileprivate var formatted: String { self == rounded() ? String(Int(self)) : String(self) }
}
