import APIKit

extension QueueStore {
  /// Items that are to be kept by one commit, and differ by their payloads and files alone.
  struct Series: Sendable {
    /// What all of them have in common.
    let like: QueueEntry
    /// The payloads, one after the other, and where each ends.
    fileprivate var payloads: ByteWriter
    private(set) var ends: [Int] = []
    /// The files with bodies, by the positions of their items.
    var files: [Int: (name: String, count: Int64)] = [:]

    private let number: Int

    /// - Parameter number: How many items will come.
    init(of number: Int, like entry: QueueEntry) {
      (self.number, like) = (number, entry)
      payloads = ByteWriter(reserving: 512)
      ends.reserveCapacity(number)
    }

    /// A single item.
    init(of entry: QueueEntry) {
      self.init(of: 1, like: entry)
      append { $0.append(contentsOf: entry.payload) }
      if let spool = entry.spool { files[0] = (spool, entry.spooledBytes) }
    }

    /// Adds an item, whose payload is what is written.
    mutating func append(_ write: (inout ByteWriter) -> Void) {
      write(&payloads)
      // Most have about the size of the first; where that is large, room is made as it is needed.
      if ends.isEmpty, number > 1 { payloads.grow(by: min((payloads.count + 16) * (number - 1), 8 << 20)) }
      ends.append(payloads.count)
    }

    /// The bytes of its items, with their files.
    var size: Int64 { Int64(payloads.count) + files.values.reduce(0) { $0 + $1.count } }
  }

  /// How many rows one statement inserts. SQLite opens the table and its six indexes for each statement, which takes as long
  /// as a row.
  private static let rowsAtOnce = 64
  /// The parameters that all rows share, and those of each row.
  private static let (sharedColumns, ownColumns) = (5, 6)

  /// Keeps a series, in order; nil when there would be too much.
  func enqueue(_ series: Series, _ limits: Limits) throws(SQLiteFailure) -> [Int64]? {
    let number = series.ends.count
    guard let ids = try freeIDs(number, bytes: series.size, within: limits) else { return nil }
    // Of a lane only the first may go.
    let isHead = try series.like.lane.map { lane throws(SQLiteFailure) in try isEmpty(lane) } ?? true
    if let first = ids.first { try insert(series, from: first, isHead: isHead) }
    try count(Int64(number), series.size, given: Int64(number))
    return ids
  }

  /// - Parameters:
  ///   - id: That of the first item.
  ///   - isFirstHead: Whether the first item is the earliest of its lane.
  func insert(_ series: Series, from id: Int64, isHead isFirstHead: Bool) throws(SQLiteFailure) {
    let (number, lane) = (series.ends.count, series.like.lane)
    let expiry = series.like.lifetime.map { clock.now + $0 }
    let checksum = RowChecksum(series.like, expiry: expiry)
    try series.payloads.bytes.withUnsafeBufferPointer { (bytes) throws(SQLiteFailure) in
      let payloads = UnsafeRawBufferPointer(bytes)
      var next = 0
      while next < number {
        let rows = min(Self.rowsAtOnce, number - next)
        let insert = try insertion(of: rows)
        defer { insert.forget() }
        insert.bind(all: lane, expiry, series.like.type, series.like.recipient, series.like.user)
        // What was bound stays for the rows after these.
        while number - next >= rows {
          for row in 0..<rows {
            let position = next + row
            let start = position == 0 ? 0 : series.ends[position - 1]
            let payload = UnsafeRawBufferPointer(rebasing: payloads[start..<series.ends[position]])
            let file = series.files.isEmpty ? nil : series.files[position]
            let isHead = position == 0 ? isFirstHead : lane == nil
            let first = Int32(Self.sharedColumns + row * Self.ownColumns + 1)
            let id = id + Int64(position)
            insert.bind(first, id)
            insert.bind(first + 1, Int64(isHead ? 1 : 0))
            let size = Int64(payload.count) + (file?.count ?? 0)
            insert.bind(first + 2, size)
            insert.bind(first + 3, file?.name)
            if seal.key == nil {
              insert.bind(first + 4, inPlace: payload)
              insert.bind(
                first + 5, checksum.value(id: id, spool: file?.name, size: size, payload: payload))
            } else {
              let sealed = try seal.close(Array(payload), .queuedItem, of: series.like.user)
              insert.bind(first + 4, sealed)
              insert.bind(
                first + 5, checksum.value(id: id, spool: file?.name, size: size, payload: sealed))
            }
          }
          try insert.run()
          next += rows
        }
      }
    }
  }

  private func insertion(of rows: Int) throws(SQLiteFailure) -> SQLiteStatement {
    if let insertion = insertions[rows] { return insertion }
    let values = (0..<rows).map { row in
      let own = (1...Self.ownColumns).map { "?\(Self.sharedColumns + row * Self.ownColumns + $0)" }
      return
        "(\(own[0]), ?1, 0, \(own[1]), 0, 0, 0, 0, \(own[2]), ?2, ?3, ?4, ?5, \(own[3]), \(own[4]), \(own[5]))"
    }
    // FAIL: the transaction is taken back as a whole, so the statement needs no journal of its own.
    let statement = try database.prepare(
      """
      INSERT OR FAIL INTO items (id, lane, state, head, needs, due, attempts, deaths, size, expiry, type, recipient,
      user, spool, payload, checksum) VALUES \(values.joined(separator: ", "))
      """)
    if rows == 1 || rows == Self.rowsAtOnce { insertions[rows] = statement }
    return statement
  }
}
