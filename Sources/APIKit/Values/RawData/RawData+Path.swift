extension RawData {
  /// The path of the value in its document, or the path that a missing value would have.
  ///
  /// It is found by a search from the top, in a time that grows with the depth and the logarithm of the width:
  /// the first question about a later child of a large container makes an index of its children.
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

  private static func cut(_ text: String) -> String { text.count <= 60 ? text : text.prefix(59) + "…" }
}

extension RawDocument {
  /// The steps from the top to a node.
  func steps(to index: Int) -> [RawPath.Step] {
    var steps: [RawPath.Step] = []
    var container = 0
    while container < index {
      let isObject = node(container).tag == .object
      let (position, child) = child(with: index, of: container)
      steps.append(isObject ? .key(RawData(self, child).string ?? "") : .index(position))
      // A cursor may also point to a name.
      container = isObject ? min(index, child + 1) : child
    }
    return steps
  }

  /// The position and the tape index (of the name, in an object) of the child that contains a descendant.
  private func child(with descendant: Int, of container: Int) -> (position: Int, index: Int) {
    let isObject = node(container).tag == .object
    var child = container + 2
    for position in 0...RawIndexes.threshold {
      let next = next(after: isObject ? child + 1 : child)
      if descendant < next { return (position, child) }
      child = next
    }
    return indexedChild(with: descendant, of: container)
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
