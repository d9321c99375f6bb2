import XCTest

@testable import APIKit

/// The parts of header fields' values.
final class FieldTextTests: XCTestCase {
  func testSeparatorsInQuotedStringsSeparateNothing() {
    XCTAssertEqual(
      #" a, "b, \"c\", d" ,, e"f,g" "#.fieldParts(at: ","), ["a", #""b, \"c\", d""#, #"e"f,g""#])
    XCTAssertEqual(#"a;"b;c"#.fieldParts(at: ";"), ["a", #""b;c"#], "a string without its end")
    XCTAssertEqual("".fieldParts(at: ","), [])
    XCTAssertEqual(" \t, ".listElements, [])
  }

  func testTargetsOfLinksAreWholeWhereTheyAreExpected() {
    XCTAssertEqual(#"<a,"b>; c, d"#.fieldParts(at: ",", hasTargets: true), [#"<a,"b>; c"#, "d"])
    XCTAssertEqual("<a,b>".fieldParts(at: ","), ["<a", "b>"])
  }

  func testParametersAreReadAsTokensAndAsQuotedStrings() {
    let parameters = #"form-data; Name = "a \"b\"; \\c" ; filename=d e;flag; open="x"#.fieldParameters
    XCTAssertEqual(parameters.map(\.name), ["name", "filename", "flag", "open"])
    XCTAssertEqual(parameters.map(\.value), [#"a "b"; \c"#, "d e", nil, "x"])
    XCTAssertTrue("form-data".fieldParameters.isEmpty)
    XCTAssertEqual("Max-Age=".fieldParameter.value, "")
  }
}
