import APIKit

/// What is bound to a parameter of a statement.
protocol SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32)
}

extension Int64: SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension Double: SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension String: SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension [UInt8]: SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32) {
    if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
  }
}

extension SQLiteStatement {
  /// Binds values to the parameters, from the first on.
  func bind<each Value: SQLiteValue>(all values: repeat each Value) {
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      value.bind(to: self, at: index)
    }
  }

  /// Runs a statement with these values that returns no rows, and resets it.
  func run<each Value: SQLiteValue>(with values: repeat each Value) throws(SQLiteFailure) {
    bind(all: repeat each values)
    try run()
  }

  /// All rows; resets it.
  func all<Row>(_ read: (SQLiteStatement) -> Row) throws(SQLiteFailure) -> [Row] {
    defer { reset() }
    var rows: [Row] = []
    while try step() { rows.append(read(self)) }
    return rows
  }
}

extension SQLiteDatabase {
  /// Runs a statement with these values that returns no rows.
  func run<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value) throws(SQLiteFailure) {
    try prepare(sql).run(with: repeat each values)
  }

  /// All rows of a query with these values.
  func all<Row, each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value, read: (SQLiteStatement) -> Row
  ) throws(SQLiteFailure) -> [Row] {
    let statement = try prepare(sql)
    statement.bind(all: repeat each values)
    return try statement.all(read)
  }

  /// The first column of all rows as texts.
  func texts(_ sql: String) throws(SQLiteFailure) -> [String] { try all(sql) { $0.text(0) ?? "" } }
}
