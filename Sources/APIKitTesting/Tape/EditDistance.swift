import APIKit

extension EditDistance {
  /// How much of a text is compared, so that a tape with large bodies is searched at once.
  static let limit = 256

  /// The distance of the beginnings of two texts; what is longer counts by its length.
  static func between(_ first: String, _ second: String) -> Int {
    if first == second { return 0 }
    let (left, right) = (Array(first.utf8.prefix(limit)), Array(second.utf8.prefix(limit)))
    let rest = abs(first.utf8.count - second.utf8.count) - abs(left.count - right.count)
    // Texts that differ behind the limit alone are not equal.
    return left == right ? max(1, rest) : between(left, right) + rest
  }
}
