/// What is wrong with a document, all of it, each with its place.
struct Problems: Error {
  /// How many are listed; a document with more is no better understood by more lines.
  static let limit = 100

  private(set) var lines: [String] = []
  private var omitted = 0

  init() {}
  init(_ line: String) { lines = [line] }

  var isEmpty: Bool { lines.isEmpty }

  /// A line that is not listed is not made: to find its place takes time.
  mutating func add(_ line: @autoclosure () -> String) {
    guard lines.count < Self.limit else { return omitted += 1 }
    lines.append(line())
  }

  /// One line for each, and how many more there are.
  var text: String { (lines + (omitted > 0 ? ["and \(omitted) more"] : [])).joined(separator: "\n") }
}
