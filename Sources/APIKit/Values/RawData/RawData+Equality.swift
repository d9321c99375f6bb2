extension RawData: Hashable {
  /// Whether two values are equal: text by its UTF-8, numbers by value (`1.0` equals `1`), arrays by their
  /// elements in order, objects by their members in any order (the last of several with one name counts).
  /// Two missing values are equal; a missing value does not equal null.
  public static func == (left: RawData, right: RawData) -> Bool {
    DeepStack.run(depth: min(left.document.depthLimit, right.document.depthLimit)) { isEqual(left, right) }
  }

  private static func isEqual(_ left: RawData, _ right: RawData) -> Bool {
    let kind = left.kind
    guard kind == right.kind else { return false }
    switch kind {
    case .missing, .null: return true
    case .bool: return left.bool == right.bool
    case .string: return left.string.map { right.equals($0) } ?? false
    case .number: return sameNumber(left, right)
    case .array:
      guard left.count == right.count else { return false }
      return zip(left.elements, right.elements).allSatisfy { isEqual($0, $1) }
    case .object:
      let members = left.effectiveMembers
      guard members.count == right.effectiveMembers.count else { return false }
      return members.allSatisfy { key, value in
        let other = right[key]
        return other.exists && isEqual(value, other)
      }
    }
  }

  /// Hashes the canonical text, which takes the time of writing it.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(jsonBytes(canonical: true))
  }

  /// The members of an object, of several with one name only the last. Each is compared once: with the others too,
  /// every level of nesting would double the time.
  private var effectiveMembers: [(key: String, value: RawData)] {
    members.filter { key, value in self[key].code == value.code }
  }

  private static func sameNumber(_ left: RawData, _ right: RawData) -> Bool {
    if let int = left.int, let other = right.int { return int == other }
    guard let text = left.numberText, let other = right.numberText else { return false }
    guard let number = RawDigits(text), let otherNumber = RawDigits(other) else { return text == other }
    return number == otherNumber
  }
}
