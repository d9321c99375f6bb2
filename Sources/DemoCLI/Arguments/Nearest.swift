/// Finds what was meant by a mistyped name.
enum Nearest {
  /// The nearest of the names, of equals the first; nil when a third of the letters or more would have to change.
  static func name(to typed: String, of names: [String]) -> String? {
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = distance(Array(typed), Array(name))
      guard distance * 3 < max(typed.count, name.count), distance < best?.distance ?? .max else { continue }
      best = (name, distance)
    }
    return best?.name
  }

  /// How many letters must be added, dropped, replaced or swapped with their neighbours (optimal string alignment).
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var least = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          least = min(least, beforeLast[j - 1] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
