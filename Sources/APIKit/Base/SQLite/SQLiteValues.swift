/// What is bound to a parameter of a statement.
package protocol SQLiteValue {
  func bind(to statement: SQLiteStatement, at index: Int32)
}

extension Int64: SQLiteValue {
  package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension Double: SQLiteValue {
  package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension String: SQLiteValue {
  package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension [UInt8]: SQLiteValue {
  package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(index, self) }
}
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  package func bind(to statement: SQLiteStatement, at index: Int32) {
    if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
  }
}

extension SQLiteStatement {
  /// Binds values to the parameters, from the first on.
  package func bind<each Value: SQLiteValue>(all values: repeat each Value) {
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      value.bind(to: self, at: index)
    }
  }

  /// All rows; resets it.
  package func all<Row>(_ read: (SQLiteStatement) -> Row) throws(SQLiteFailure) -> [Row] {
    defer { reset() }
    var rows: [Row] = []
    while try step() { rows.append(read(self)) }
    return rows
  }
}

/// Statements that are prepared once and used again, so their text is one of a few: what differs are the values.
extension SQLiteDatabase {
  /// Runs a statement with these values that returns no rows.
  package func run<each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value
  ) throws(SQLiteFailure) {
    let statement = try statement(sql)
    // What was bound may be large.
    defer { statement.forget() }
    statement.bind(all: repeat each values)
    try statement.run()
  }

  /// All rows of a query with these values.
  package func all<Row, each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value, read: (SQLiteStatement) -> Row
  ) throws(SQLiteFailure) -> [Row] {
    let statement = try statement(sql)
    statement.bind(all: repeat each values)
    return try statement.all(read)
  }

  /// The first column of all rows as texts.
  package func texts(_ sql: String) throws(SQLiteFailure) -> [String] { try all(sql) { $0.text(0) ?? "" } }

  /// The first column of the first row as a number; 0 without a row.
  package func number<each Value: SQLiteValue>(
    _ sql: String, _ values: repeat each Value
  ) throws(SQLiteFailure) -> Int64 {
    try all(sql, repeat each values) { $0.integer(0) }.first ?? 0
  }
}
