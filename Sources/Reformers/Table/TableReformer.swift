public import APIKit

/// Makes a table for terminals of the output of another reformer.
///
/// ```swift
/// let table = TableReformer(of: PropertyListReformer(), columns: [
///   TableColumn("Name", minimumWidth: 12) { $0[.name] },
///   TableColumn("Price", alignment: .right) { "$\($0[.price])" },
/// ])
/// for line in try homes.fetchData(with: table).lines(width: 80) { print(line) }
/// ```
public struct TableReformer<Rows: Reformer, Element: Sendable>: Reformer where Rows.Output == [Element] {
  private let rows: Rows
  private let columns: [TableColumn<Element>]

  /// Makes a reformer with one row for each element of another one's output.
  public init(of rows: Rows, columns: [TableColumn<Element>]) {
    self.rows = rows
    self.columns = columns
  }

  /// The table; lay it out with ``TextTable/lines(width:)``.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> TextTable {
    TextTable(of: try rows.reform(raw, from: source), columns: columns)
  }
}

/// One column of a table: its head, its layout, and the text of one element.
public struct TableColumn<Element: Sendable>: Sendable {
  /// Head and layout.
  public var column: TextTable.Column
  /// The text of one element.
  public var text: @Sendable (Element) -> String

  /// Makes a column.
  public init(
    _ title: String, alignment: TextAlignment = .left, minimumWidth: Int? = nil, isOptional: Bool = false,
    text: @escaping @Sendable (Element) -> String
  ) {
    column = TextTable.Column(
      title, alignment: alignment, minimumWidth: minimumWidth, isOptional: isOptional)
    self.text = text
  }
}

extension TextTable {
  /// Makes a table of elements.
  public init<Element>(of elements: [Element], columns: [TableColumn<Element>]) {
    self.init(
      columns: columns.map(\.column), rows: elements.map { element in columns.map { $0.text(element) } })
  }
}
