import Foundation

/// The file of a jar that outlives the process: JSON, readable by its owner alone.
public struct CookieStore: Sendable, Hashable {
  /// Where the file is.
  public let path: String

  /// A store at a path. Its folder is made when it is first written.
  public init(path: String) { self.path = path }

  /// The program's own file: in Application Support on Apple platforms, else under `XDG_STATE_HOME` or
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

  /// The cookies of the file. None when there is no file, or one that cannot be read: cookies are not worth
  /// failing for, the server sets them anew.
  func load() -> [Cookie] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return (try? JSONDecoder().decode([Cookie].self, from: data)) ?? []
  }

  /// Replaces the file as a whole; a reader sees the old one or the new one.
  ///
  /// Throws ``APIError/Reason/fileFailed``.
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
