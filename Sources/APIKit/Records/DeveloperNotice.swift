import Foundation

/// What the framework sees to be wrong in an application and continues with: a line on the standard error stream.
package enum DeveloperNotice {
  /// Where the lines go; tests put a list in its place.
  static let sink = Mutex<@Sendable (String) -> Void> { line in
    FileHandle.standardError.write(Data("APIKit: \(line)\n".utf8))
  }

  /// Writes one line. Whoever calls it sees to it that the same is not said over and over.
  package static func give(_ line: String) { sink.withLock { $0 }(line) }
}
