import Foundation

/// The file of a jar whose cookies outlive the process: JSON, readable by its owner alone.
public struct CookieStore: Sendable, Hashable {
  /// Where the file is.
  public let path: String

  /// Makes a store at a path. The folder is made at the first write.
  public init(path: String) { self.path = path }

  /// The program's own file: in Application Support on Apple platforms, otherwise under `XDG_STATE_HOME` or
  /// `~/.local/state`.
  public static var standard: CookieStore {
    let program = ProcessInfo.processInfo.processName
    #if canImport(Darwin)
      let folder = URL.applicationSupportDirectory.appending(path: Bundle.main.bundleIdentifier ?? program)
      return CookieStore(path: folder.appending(path: "cookies.json").path)
    #else
      let state =
        ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        ?? NSHomeDirectory() + "/.local/state"
      return CookieStore(path: "\(state)/\(program)/cookies.json")
    #endif
  }

  /// The cookies of the file. None when there is no file, or one that cannot be read: the server sets them
  /// again.
  func load() -> [Cookie] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return (try? JSONDecoder().decode([Cookie].self, from: data)) ?? []
  }

  /// Replaces the whole file; a reader sees the old one or the new one.
  ///
  /// Throws ``APIError/Reason/fileFailed`` when it cannot be written.
  func save(_ cookies: [Cookie]) throws(APIError) {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      try PrivateFile.replace(path, with: try encoder.encode(cookies))
    } catch {
      throw APIError(.transport, .fileFailed, "the cookies cannot be written to \(path)", underlying: error)
    }
  }
}
