import APIKit
import Foundation

/// The responses that a run keeps for later ones, for three minutes, in a folder that all runs share.
enum StoredResponses {
  /// `APIKitDemo` in the user's cache folder: `$XDG_CACHE_HOME`, `~/.cache` or `~/Library/Caches`.
  static var usualFolder: String {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    return (caches ?? FileManager.default.temporaryDirectory).appendingPathComponent("APIKitDemo").path
  }

  /// The cache of a run; nil with `--no-cache`. Its faults are printed on stderr, and the run continues.
  static func open(
    _ arguments: ParsedArguments, in folder: String, console: Console
  ) throws(UsageError) -> ResponseCache? {
    guard !arguments.has("--no-cache") else {
      guard !arguments.has("--cache-folder") else {
        throw UsageError("--no-cache and --cache-folder exclude each other")
      }
      return nil
    }
    guard !folder.isEmpty else { throw UsageError("--cache-folder needs a folder") }
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    // A fault that lasts is met by every lookup and every store.
    let told = Mutex<Set<String>>([])
    cache.onFault { fault in
      let text = "DemoCLI: the cache met a fault: \(fault)"
      if told.withLock({ $0.insert(text).inserted }) { console.error(text) }
    }
    return cache
  }
}
