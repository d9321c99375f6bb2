extension RawData {
  /// The path of the value in its document, or the path that a missing value would have.
  ///
  /// It is found by a search from the top, so use it for errors and logs, not for every row.
  public var path: RawPath {
    let (index, miss) = origin
    return RawPath(steps: document.steps(to: index) + document.missingSteps(to: miss))
  }

  /// The path for errors, with a name for the top of the document.
  var pathText: String {
    let text = path.description
    return text.isEmpty ? "the top level" : text
  }

  /// What stands there, without its value, which may be a secret: `a string`, `an array of 3`.
  var summary: String {
    switch kind {
    case .missing: missingSummary
    case .array, .object: "\(kind.phrase) of \(count)"
    case .bool: "a boolean"
    case .null, .number, .string: kind.phrase
    }
  }

  /// The value of a leaf, shortened: `"n/a"`, `2.5`; nil for others.
  var quotation: String? {
    switch kind {
    case .bool: bool == true ? "true" : "false"
    case .number: numberText.map { Self.cut($0) }
    case .string: string.map { RawPath.quoted(Self.cut($0)) }
    case .missing, .null, .array, .object: nil
    }
  }

  /// `nothing`, and if more than the last step is missing, the last value that exists.
  private var missingSummary: String {
    let last = RawData(document, origin.index)
    let depth = path.steps.count - last.path.steps.count
    if depth == 1, last.node.isContainer { return "nothing" }
    return "nothing (\(last.pathText) is \(last.summary))"
  }

  private static func cut(_ text: String, to limit: Int = 60) -> String {
    text.count <= limit ? text : text.prefix(limit - 1) + "…"
  }
}

extension RawDocument {
  /// The steps from the top to a node.
  func steps(to index: Int) -> [RawPath.Step] {
    var steps: [RawPath.Step] = []
    var container = 0
    while container < index {
      let isObject = node(container).tag == .object
      var child = container + 2
      var position = 0
      // The node is a descendant, so the range of one child contains it.
      while true {
        let value = isObject ? child + 1 : child
        let next = next(after: value)
        if index < next {
          let key = isObject ? RawData(self, child).string ?? "" : ""
          steps.append(isObject ? .key(key) : .index(position))
          // A cursor may also point to a name.
          container = index < value ? index : value
          break
        }
        child = next
        position += 1
      }
    }
    return steps
  }
}

extension RawData: CustomStringConvertible {
  /// The value as compact JSON, shortened to 1,000 characters; `(missing)` when there is none.
  ///
  /// It contains the response's data, so do not write it to logs that leave the device.
  public var description: String {
    guard exists else { return "(missing)" }
    let text = jsonText()
    return text.count <= 1000 ? text : text.prefix(1000) + "…"
  }
}
