import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Values that SQLite does not take.
final class SQLiteDatabaseTests: XCTestCase {
  func testAValueThatIsTooLongFailsItsStatementAndIsNoDamage() throws {
    let path = temporaryPath()
    let database = try SQLiteDatabase(path: path, patience: 100)
    try database.execute("CREATE TABLE contents (content BLOB NOT NULL)")
    let insert = try database.prepare("INSERT INTO contents VALUES (?)")
    for count in [Int(Int32.max), 1 << 31, 1 << 32 + 1] {
      // Memory that is never touched takes no room.
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
      try bytes.withUnsafeBytes { buffer in
        for isInPlace in [true, false] {
          if isInPlace { insert.bind(1, inPlace: buffer) } else { insert.bind(1, bytes) }
          XCTAssertThrowsError(try insert.run()) { error in
            XCTAssertEqual((error as? SQLiteFailure)?.description, "string or blob too big (18)")
            XCTAssertEqual((error as? SQLiteFailure)?.isMisfit, false)
          }
          insert.forget()
        }
      }
    }
    insert.bind(1, [7])
    try insert.run()
    XCTAssertEqual(try database.number("SELECT count(*) FROM contents"), 1, "the statement can be used still")
  }
}
