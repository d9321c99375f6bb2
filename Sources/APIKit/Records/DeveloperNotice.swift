import Foundation

/// Hints to the developer of an application: lines on the standard error stream, each once, about what is probably a mistake.
public enum DeveloperNotices {
  /// Whether hints are given. The default is true in debug builds of the framework, and false in release builds and in
  /// processes of tests. May be set at any time, from any thread.
  public static var areOn: Bool {
    get { switchedOn.load() }
    set { switchedOn.store(newValue) }
  }

  private static let switchedOn: AtomicFlag = {
    let flag = AtomicFlag()
    #if DEBUG
      flag.store(!isTest)
    #endif
    return flag
  }()

  #if DEBUG
    private static var isTest: Bool {
      ProcessInfo.processInfo.environment["XCTestConfigurationFilePath"] != nil
        || CommandLine.arguments.first?.hasSuffix(".xctest") == true
    }
  #endif
}

/// What the framework sees to be wrong in an application and continues with: a line on the standard error stream.
package enum DeveloperNotice {
  /// Where the lines go; tests put a list in its place.
  static let sink = Mutex<@Sendable (String) -> Void> { line in
    FileHandle.standardError.write(Data("APIKit: \(line)\n".utf8))
  }
  private static let hinted = Mutex<Set<String>>([])

  /// Writes one line. Whoever calls it sees to it that the same is not said over and over.
  package static func give(_ line: String) { sink.withLock { $0 }(line) }

  /// Writes a hint once in the process, where ``DeveloperNotices`` are on.
  package static func hint(_ line: @autoclosure () -> String) {
    guard DeveloperNotices.areOn else { return }
    let line = line()
    if hinted.withLock({ $0.insert(line).inserted }) { give(line) }
  }

  /// Hints that a delegate has not implemented a method that was called, once for its type.
  package static func unheard(_ delegate: Any.Type, _ method: String, _ what: String) {
    hint("\(what), and \(delegate) does not implement \(method); a method of another spelling is not called")
  }
}
