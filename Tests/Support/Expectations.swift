import XCTest

@testable import APIKit

/// Fails unless `body` throws an `APIError` of that reason whose description holds every one of `words`.
func assertFails<Result>(
  _ reason: APIError.Reason, _ words: String..., file: StaticString = #filePath, line: UInt = #line,
  _ body: () throws -> Result
) {
  do {
    let result = try body()
    XCTFail("nothing was thrown; the result is \(result)", file: file, line: line)
  } catch let error as APIError {
    XCTAssertEqual(error.reason, reason, error.description, file: file, line: line)
    for word in words where !error.description.contains(word) {
      XCTFail("\"\(error.description)\" does not say \"\(word)\"", file: file, line: line)
    }
  } catch {
    XCTFail("\(error) is no APIError", file: file, line: line)
  }
}
