import APIKit
import Reformers
import XCTest

final class TableTests: XCTestCase {
  private let columns: [TableColumn<PropertyListReformer.Row>] = [
    TableColumn("Id") { $0[.id] },
    TableColumn("Name", minimumWidth: 8) { $0[.name] },
    TableColumn("Price", alignment: .right) { "\($0[.price])" },
    TableColumn("Place", minimumWidth: 5, isOptional: true) { $0[.place] },
  ]

  private func table() throws -> TextTable {
    let reformer = TableReformer(of: PropertyListReformer(), columns: columns)
    return try reformer.reform(RecordedResponses.sacramento, from: RecordedResponses.source("sacramento"))
  }

  func testATableIsAlignedAndAsWideAsItsTexts() throws {
    XCTAssertEqual(
      try table().lines(),
      [
        "Id     Name                    Price  Place",
        "─────  ──────────────────────  ─────  ──────────",
        "sac-1  2-bed home, Sacramento  59222  Sacramento",
        "sac-2  3-bed home, Sacramento  68212  Sacramento",
      ])
  }

  func testATableNeverExceedsItsWidth() throws {
    let table = try table()
    for width in 1...60 {
      for line in table.lines(width: width) { XCTAssertLessThanOrEqual(DisplayWidth.of(line), width, line) }
    }
    XCTAssertEqual(table.lines(width: 44)[2], "sac-1  2-bed home, Sacra…  59222  Sacramento")
    // Rather than cut a name to less than twice its minimum, the place is left out.
    XCTAssertEqual(table.lines(width: 40)[2], "sac-1  2-bed home, Sacramento  59222")
    XCTAssertEqual(table.lines(width: 24)[2], "sac-1  2-bed hom…  59222")
  }

  func testAMinimumBelowZeroIsNone() {
    let table = TextTable(columns: [.init("Name", minimumWidth: -3), .init("B")], rows: [["abc", "d"]])
    XCTAssertEqual(table.lines(width: 1).map(DisplayWidth.of), [1, 1, 1])
  }

  func testAMinimumBeyondEveryWidthKeepsItsColumnWhole() {
    for minimum in [Int.max, .max / 2 + 1] {
      let columns = [
        TextTable.Column("Name", minimumWidth: minimum), .init("B", minimumWidth: minimum, isOptional: true),
      ]
      XCTAssertEqual(TextTable(columns: columns, rows: [["abc", "d"]]).lines(width: 5)[2], "abc")
    }
    let table = TextTable(columns: [.init("A", minimumWidth: .min)], rows: [["abc"]])
    XCTAssertEqual(table.lines(width: .min), ["", "", ""])
    XCTAssertEqual(table.lines(width: .max)[2], "abc")
  }

  func testWideCharactersTakeTwoColumnsAndMarksNone() {
    XCTAssertEqual(DisplayWidth.of("苏州"), 4)
    XCTAssertEqual(DisplayWidth.of("e\u{301}te\u{301}"), 3)
    XCTAssertEqual(DisplayWidth.of("🏠"), 2)
    XCTAssertEqual(DisplayWidth.of("👨‍👩‍👧"), 2)
    XCTAssertEqual(DisplayWidth.of("ｱ"), 1)
    XCTAssertEqual(DisplayWidth.truncate("苏州园林", to: 5), "苏州…")
    XCTAssertEqual(DisplayWidth.fit("苏州园林", to: 6), "苏州… ")
    XCTAssertEqual(DisplayWidth.fit("7", to: 3, alignment: .right), "  7")
    XCTAssertEqual(DisplayWidth.truncate("abc", to: 0), "")
  }

  func testWhatAServerSendsCannotCommandTheTerminal() {
    let table = TextTable(columns: [TextTable.Column("A")], rows: [["\u{1B}[2Jx\ny\u{202E}z"]])
    XCTAssertEqual(table.lines()[2], "\u{FFFD}[2Jx\u{FFFD}y\u{FFFD}z")
  }

  func testRowsOfAnyLengthFit() {
    let table = TextTable(
      columns: [TextTable.Column("A"), TextTable.Column("B")], rows: [[], ["1", "2", "3"]])
    XCTAssertEqual(table.lines(), ["A  B", "─  ─", "", "1  2"])
    XCTAssertEqual(TextTable(columns: [], rows: []).lines(width: 10), [])
  }
}
