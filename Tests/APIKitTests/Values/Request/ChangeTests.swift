import Foundation
import XCTest

@testable import APIKit

/// What a PATCH says about a member: nothing, null, or a value.
final class ChangeTests: XCTestCase {
  private struct HomeChanges: Codable, Equatable {
    struct Place: Codable, Equatable { var city: String }

    var title: Change<String> = .keep
    var agent: Change<Int> = .keep
    var place: Change<Place> = .keep
  }

  private let changes = HomeChanges(title: .set("Lin"), agent: .null)
  private let text = #"{"title":"Lin","agent":null}"#

  func testAMemberToKeepIsNotWrittenByEitherEncoder() throws {
    let bytes = try JSONBodyEncoder().encode(Parameters(encoding: changes))
    XCTAssertEqual(String(decoding: bytes, as: UTF8.self), text)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    XCTAssertEqual(
      String(decoding: try encoder.encode(changes), as: UTF8.self), #"{"agent":null,"title":"Lin"}"#)
    XCTAssertEqual(String(decoding: try encoder.encode(HomeChanges()), as: UTF8.self), "{}")
    XCTAssertEqual(Parameters(encoding: HomeChanges()), [:])
    let place = HomeChanges(place: .set(.init(city: "Ames")))
    XCTAssertEqual(Parameters(encoding: place), ["place": Parameters(["city": "Ames"])])
  }

  func testWhatWasWrittenIsReadAgainByEitherDecoder() throws {
    for changes in [changes, HomeChanges(), HomeChanges(place: .set(.init(city: "Ames")))] {
      let json = try JSONBodyEncoder().encode(Parameters(encoding: changes))
      XCTAssertEqual(try RawData(parsing: json).decode(as: HomeChanges.self), changes)
      XCTAssertEqual(try JSONDecoder().decode(HomeChanges.self, from: Data(json)), changes)
    }
    XCTAssertThrowsError(try RawData(parsing: #"{"title":1}"#).decode(as: HomeChanges.self))
  }

  func testInALiteralOfParametersItIsLeftOutToo() throws {
    let parameters: Parameters = [
      "title": Change<String>.keep, "agent": Change<Int>.null, "beds": Change.set(3), "id": 7,
    ]
    XCTAssertEqual(parameters, ["agent": ParameterValue.null, "beds": 3, "id": 7])
  }

  func testWhereNothingCanBeLeftOutItIsRefused() throws {
    let kept: [Change<Int>] = [.set(1), .keep]
    XCTAssertThrowsError(try JSONEncoder().encode(kept)) { XCTAssertTrue($0 is EncodingError) }
    XCTAssertEqual(Parameters(["a": kept]).failure?.reason, .unencodableParameter)
    XCTAssertTrue(Parameters(["a": kept]).failure?.detail.contains("a[1]") ?? false)
    let written: [Change<Int>] = [.set(1), .null]
    XCTAssertEqual(try JSONDecoder().decode([Change<Int>].self, from: JSONEncoder().encode(written)), written)
    XCTAssertEqual(Parameters(["a": written]), ["a": [1, nil] as [Int?]])
  }

  func testItsValueIsThatWhichIsSet() {
    XCTAssertEqual([Change.keep, .null, .set(3)].map(\.value), [nil, nil, 3])
    XCTAssertEqual(Set<Change<Int>>([.keep, .null, .set(1), .set(1)]).count, 3)
  }
}
