import Foundation
import XCTest

private struct MissingTool: Error, CustomStringConvertible {
  let description: String
}

/// What a test throws that lacks a tool: it is skipped with the reason; under `CI=true` it fails.
func missingTool(_ reason: String) -> any Error {
  ProcessInfo.processInfo.environment["CI"] == "true" ? MissingTool(description: reason) : XCTSkip(reason)
}
