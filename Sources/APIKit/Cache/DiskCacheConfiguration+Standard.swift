import Foundation

extension DiskCacheConfiguration {
  /// A configuration with the program's own folder: `answers` in Caches on Apple platforms, elsewhere under
  /// `XDG_CACHE_HOME` or `~/.cache`, in a folder with the name of the bundle or program.
  public static var standard: DiskCacheConfiguration {
    let program = ProcessInfo.processInfo.processName
    #if canImport(Darwin)
      let folder = URL.cachesDirectory.appending(path: Bundle.main.bundleIdentifier ?? program)
      return DiskCacheConfiguration(folder: folder.appending(path: "answers").path)
    #else
      let caches =
        ProcessInfo.processInfo.environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        ?? NSHomeDirectory() + "/.cache"
      return DiskCacheConfiguration(folder: "\(caches)/\(program)/answers")
    #endif
  }
}
