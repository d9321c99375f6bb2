/// Texts in rows and columns, laid out to fit a width.
///
/// When the table is too wide, columns with a minimum width shrink to twice their minimum, the widest
/// first. When that is not enough, optional columns are left out, from the right; only then do the others
/// shrink to their minimum. Lines that are still wider are truncated.
public struct TextTable: Sendable {
  /// The head and layout of one column.
  public struct Column: Sendable {
    /// The head.
    public var title: String
    /// The side at which texts are shown; the default is left.
    public var alignment: TextAlignment
    /// How narrow it may become, in columns of the terminal; nil, the default, keeps its full width.
    public var minimumWidth: Int?
    /// Whether it may be left out of a narrow table; the default is false.
    public var isOptional: Bool

    /// Makes a column.
    public init(
      _ title: String, alignment: TextAlignment = .left, minimumWidth: Int? = nil, isOptional: Bool = false
    ) {
      self.title = title
      self.alignment = alignment
      self.minimumWidth = minimumWidth
      self.isOptional = isOptional
    }
  }

  /// The columns.
  public let columns: [Column]
  /// The texts of each row; control characters are replaced.
  public let rows: [[String]]

  private static let gap = 2

  /// Makes a table. A row with too few texts is filled with empty ones; surplus texts are dropped.
  public init(columns: [Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows.map { row in
      columns.indices.map { $0 < row.count ? DisplayWidth.printable(row[$0]) : "" }
    }
  }

  /// The lines of the table: head, rule, rows.
  ///
  /// - Parameter width: The columns of the terminal; nil, the default, makes the table as wide as its
  ///   texts.
  public func lines(width: Int? = nil) -> [String] {
    let layout = self.layout(width: width)
    guard !layout.isEmpty else { return [] }
    func line(_ texts: (Int) -> String) -> String {
      let cells = layout.map { index, columnWidth in
        DisplayWidth.fit(texts(index), to: columnWidth, alignment: columns[index].alignment)
      }
      var text = cells.joined(separator: String(repeating: " ", count: Self.gap))
      while text.last == " " { text.removeLast() }
      return width.map { DisplayWidth.truncate(text, to: $0) } ?? text
    }
    let rule = line { index in
      String(repeating: "─", count: layout.first { $0.index == index }?.width ?? 0)
    }
    return [line { columns[$0].title }, rule] + rows.map { row in line { row[$0] } }
  }

  /// The columns shown and their widths.
  private func layout(width: Int?) -> [(index: Int, width: Int)] {
    var shown = columns.indices.map { index in
      let texts = rows.lazy.map { DisplayWidth.of($0[index]) }
      return (index: index, width: max(DisplayWidth.of(columns[index].title), texts.max() ?? 0))
    }
    guard let width else { return shown }
    func total() -> Int { shown.reduce(0) { $0 + $1.width } + Self.gap * max(0, shown.count - 1) }
    func comfortable() -> Int {
      shown.reduce(0) { sum, column in
        // A minimum beyond the width is the width, so that twice as much is a number.
        let minimum = min(max(0, columns[column.index].minimumWidth ?? .max), column.width)
        return sum + min(column.width, 2 * minimum)
      } + Self.gap * max(0, shown.count - 1)
    }
    while comfortable() > width, let last = shown.lastIndex(where: { columns[$0.index].isOptional }) {
      shown.remove(at: last)
    }
    while total() > width {
      let shrinkable = shown.indices.filter {
        shown[$0].width > columns[shown[$0].index].minimumWidth.map { max(0, $0) } ?? .max
      }
      guard let widest = shrinkable.max(by: { shown[$0].width < shown[$1].width }) else { break }
      shown[widest].width -= 1
    }
    return shown
  }
}
