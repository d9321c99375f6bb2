extension RawData {
  /// The member with a name; of several, the last. Missing when there is none or this is not an object.
  ///
  /// An object with up to 40 members is scanned; a larger one gets an index on the first look-up.
  @inlinable
  public subscript(key: String) -> RawData { RawData(document, member(key)) }

  /// The code of a member, which may be a missing one. A separate function, so that the cursor is created at the
  /// call site: a cursor that only leads to a leaf then need not retain the document.
  @usableFromInline
  func member(_ key: String) -> Int {
    if let node = existing, node.tag == .object {
      let index = document.value(of: key, in: code)
      if index >= 0 { return index }
    }
    return missing(key)
  }

  @inline(never)
  private func missing(_ key: String) -> Int { RawData(missing: .key(key), after: self).code }

  /// The element at a position, from 0. Missing when there is none or this is not an array.
  ///
  /// In an array that contains arrays or objects, positions up to 40 are found by walking; for later ones
  /// the array gets an index on the first look-up. To visit all elements, ``elements`` is faster.
  public subscript(index: Int) -> RawData {
    if let node = existing {
      if node.tag == .array, let index = document.element(index, of: code) { return RawData(document, index) }
      if index == 0, document.isXML, node.tag != .array { return self }
    }
    return RawData(missing: .index(index), after: self)
  }

  /// The value after several steps: `raw["items", 0, "name"]`.
  public subscript(first: RawPath.Step, second: RawPath.Step, rest: RawPath.Step...) -> RawData {
    var value = self[step: first][step: second]
    for step in rest { value = value[step: step] }
    return value
  }

  /// The member with a name: `raw.items` is `raw["items"]`.
  @inlinable
  public subscript(dynamicMember key: String) -> RawData { RawData(document, member(key)) }

  /// The value at a path.
  public func at(_ path: RawPath) -> RawData {
    var value = self
    for step in path.steps { value = value[step: step] }
    return value
  }

  /// The value at a path given as text, like `a.b[0].c`.
  ///
  /// The text is parsed on each call; keep a ``RawPath`` for frequent use.
  public func at(path: String) -> RawData { at(RawPath(path)) }

  /// The value after one step.
  public subscript(step step: RawPath.Step) -> RawData {
    switch step {
    case .key(let key): self[key]
    case .index(let index): self[index]
    }
  }
}

// MARK: Duplicate names

extension RawData {
  /// The values of all members with a name, in order; empty when there is none.
  public func all(forKey key: String) -> [RawData] {
    members.inPlace.compactMap { $0.key.equals(key) ? $0.value : nil }
  }

  /// The names that more than one member of this object has, in the order of their first repetition.
  public var duplicateKeys: [String] {
    var counts: [ExactText: Int] = [:]
    counts.reserveCapacity(count)
    var duplicates: [String] = []
    for (key, _) in members {
      counts[ExactText(key), default: 0] += 1
      if counts[ExactText(key)] == 2 { duplicates.append(key) }
    }
    return duplicates
  }
}
