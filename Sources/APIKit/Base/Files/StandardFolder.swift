import Foundation

/// The folders where a program keeps what is its own.
package enum StandardFolder {
  /// Files that may be removed at any time: Caches on Apple platforms, elsewhere `XDG_CACHE_HOME` or `~/.cache`.
  case caches
  /// Files that must outlive the process: Application Support on Apple platforms, elsewhere `XDG_STATE_HOME` or
  /// `~/.local/state`. On tvOS it is Caches, the only folder that an application may write to beside the temporary one; the
  /// system may empty it while the application does not run.
  case state

  /// The folder with the name of the bundle or the program.
  package var path: String {
    let program = ProcessInfo.processInfo.processName
    #if canImport(Darwin)
      let isKept = self == .state && DeviceKind.present.keepsFiles
      let base = isKept ? URL.applicationSupportDirectory : URL.cachesDirectory
      return base.appending(path: Bundle.main.bundleIdentifier ?? program).path
    #else
      let (variable, fallback) =
        self == .caches ? ("XDG_CACHE_HOME", ".cache") : ("XDG_STATE_HOME", ".local/state")
      // The specification has relative paths ignored.
      let base = ProcessInfo.processInfo.environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return "\(base ?? NSHomeDirectory() + "/" + fallback)/\(program)"
    #endif
  }
}
