/// Values by key, of which the idle ones are removed when the table has doubled: its size follows that of what is in use, and an
/// entry costs the same however many there are.
struct PrunedTable<Key: Hashable, Value> {
  private(set) var values: [Key: Value] = [:]
  /// The size at which idle entries are looked for.
  private var limit = smallest
  /// A table of fewer entries is left as it is.
  private static var smallest: Int { 64 }

  subscript(key: Key) -> Value? {
    get { values[key] }
    _modify { yield &values[key] }
  }

  subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { values[key, default: value()] }
    _modify { yield &values[key, default: value()] }
  }

  /// Removes idle entries where there are many, before a key is added.
  mutating func makeRoom(for key: Key, _ isIdle: (Value) -> Bool) {
    guard values.count >= limit, values[key] == nil else { return }
    values = values.filter { !isIdle($0.value) }
    limit = max(Self.smallest, values.count * 2)
  }
}
