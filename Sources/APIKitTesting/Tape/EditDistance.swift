/// The number of bytes to insert, remove or replace that turns one text into another (Levenshtein).
enum EditDistance {
  /// How much of a text is compared, so that a tape with large bodies is searched at once.
  static let limit = 256

  /// The distance of the beginnings of two texts; what is longer counts by its length.
  static func between(_ first: String, _ second: String) -> Int {
    if first == second { return 0 }
    let (left, right) = (Array(first.utf8.prefix(limit)), Array(second.utf8.prefix(limit)))
    let rest = abs(first.utf8.count - second.utf8.count) - abs(left.count - right.count)
    // Texts that differ behind the limit alone are not equal.
    if left == right { return max(1, rest) }
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (byte == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count] + rest
  }
}
