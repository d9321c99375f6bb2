import APIKit
import APIKitTesting
import Foundation
import Reformers
import XCTest

final class ContractTests: XCTestCase {
  func testTheReportTellsWhatThrewWhatWasDefaultedAndWhatWentUnnoticed() {
    let report = ReformerContract(
      PropertyListReformer(), recorded: RecordedResponses.ames, source: RecordedResponses.source("ames")
    ).run()
    XCTAssertTrue(report.isKept, report.description)
    XCTAssertEqual(report.verdict(at: "result.rows[0].price.usd", .removed), .threw)
    XCTAssertEqual(report.verdict(at: "result.rows[0].price.usd", .became(.string)), .threw)
    XCTAssertEqual(report.verdict(at: "result.rows[0].building.built", .nulled), .defaulted)
    XCTAssertEqual(report.verdict(at: "result.rows[0].size.lot_sqft", .removed), .unnoticed)
    XCTAssertEqual(report.verdict(at: "result.rows", .became(.object)), .threw)
    XCTAssertEqual(report.verdict(at: "result.rows[0]", .removed), .defaulted)
    XCTAssertTrue(report.description.contains("result.rows[0].title removed: threw (result.rows[0].title"))
  }

  func testEveryKeyIsRemovedNulledAndRetyped() {
    let recorded: RawData = ["a": 1, "b": ["c": RawData.null]]
    let damages = ReformerContract(
      ClosureReformer { _, _ in 0 }, recorded: recorded, source: RecordedResponses.source("s")
    ).damages.map(\.description)
    XCTAssertEqual(
      damages,
      [
        "a removed", "a nulled", "a became a string", "a became true", "a became an array",
        "a became an object",
        "b removed", "b nulled", "b became a string", "b became a number", "b became true",
        "b became an array",
        "b.c removed", "b.c became a string", "b.c became a number", "b.c became true", "b.c became an array",
        "b.c became an object",
      ])
  }

  func testAReformerThatRefusesTheIntactResponseIsNotTried() {
    let report = ReformerContract(
      PropertyListReformer(), recorded: ["a": 1], source: RecordedResponses.source("ames")
    ).run()
    XCTAssertFalse(report.isKept)
    XCTAssertEqual(
      report.intactError, "result.rows: expected an array, found nothing (the top level is an object of 1)")
  }

  #if os(Linux) || os(macOS)
    func testACrashIsReportedAndTheOthersAreTriedAllTheSame() throws {
      let careless = ClosureReformer<Int> { raw, _ in
        guard let text = raw.name.string else { fatalError("the name is not there") }
        return text.count + (try raw.rooms.require(Int.self))
      }
      let contract = ReformerContract(
        careless, recorded: ["name": "A", "rooms": 2, "extra": true], source: RecordedResponses.source("s"))
      let report = try contract.run(
        isolatedBy: .xctest(
          module: "ReformersTests", test: "ContractTests/testACrashIsReportedAndTheOthersAreTriedAllTheSame"))
      XCTAssertFalse(report.isKept)
      XCTAssertEqual(report.findings.count, contract.damages.count)
      XCTAssertEqual(Set(report[.crashed].map(\.damage.path)), ["name"])
      XCTAssertEqual(report[.crashed].count, 6)
      XCTAssertEqual(report.verdict(at: "rooms", .removed), .threw)
      XCTAssertEqual(report.verdict(at: "extra", .removed), .unnoticed)
      XCTAssertTrue(report[.crashed][0].text.contains("signal"), report[.crashed][0].text)
    }

    func testEachOfTwoContractsOfOneReformerIsTriedWithItsOwnResponse() throws {
      let reformer = ClosureReformer<Int> { raw, _ in raw.a.exists ? 1 : try raw.b.require(Int.self) }
      let child = ContractChild.xctest(
        module: "ReformersTests",
        test: "ContractTests/testEachOfTwoContractsOfOneReformerIsTriedWithItsOwnResponse")
      for recorded: RawData in [["a": 1], ["b": 2]] {
        let contract = ReformerContract(reformer, recorded: recorded, source: RecordedResponses.source("s"))
        let (alone, isolated) = (contract.run(), try contract.run(isolatedBy: child))
        XCTAssertEqual(isolated.findings.map(\.verdict), alone.findings.map(\.verdict))
        XCTAssertEqual(isolated.findings.map(\.text), alone.findings.map(\.text))
      }
    }

    func testAChildThatNeverReachesTheContractIsAnError() {
      let contract = ReformerContract(
        PropertyListReformer(), recorded: RecordedResponses.ames, source: RecordedResponses.source("ames"))
      let child = ContractChild(executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "true"])
      XCTAssertThrowsError(try contract.run(isolatedBy: child)) { error in
        XCTAssertTrue((error as? APIError)?.detail.contains("never reached") == true)
      }
    }
  #endif
}
