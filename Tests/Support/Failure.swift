import APIKit
import XCTest

/// The `APIError` that the work throws; fails the test when it throws none.
func failure<Value>(
  isolation: isolated (any Actor)? = #isolation, file: StaticString = #filePath, line: UInt = #line,
  _ work: () async throws -> Value
) async -> APIError? {
  do {
    let value = try await work()
    XCTFail("it did not fail but gave \(value)", file: file, line: line)
    return nil
  } catch let error as APIError {
    return error
  } catch {
    XCTFail("it failed with \(error), which is no APIError", file: file, line: line)
    return nil
  }
}
