import APIKit
import Foundation

/// The responses that a run keeps for the next one: for three minutes, in a folder that all runs share.
struct StoredResponses: Sendable {
  var cache: ResponseCache?
  /// The name that the run's own server has in the cache: its port changes from run to run, its homes do not.
  var origin: String?

  /// `APIKitDemo` in the user's folder of caches: `$XDG_CACHE_HOME`, `~/.cache` or `~/Library/Caches`.
  static var usualFolder: String {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    return (caches ?? FileManager.default.temporaryDirectory).appendingPathComponent("APIKitDemo").path
  }

  /// The cache of a run; nil with `--no-cache`. What goes wrong with it is told on stderr, and the run goes on.
  static func open(_ arguments: ParsedArguments, console: Console) throws(UsageError) -> ResponseCache? {
    let folder = arguments.text("--cache-folder")
    guard !arguments.has("--no-cache") else {
      guard folder == nil else { throw UsageError("--no-cache and --cache-folder exclude each other") }
      return nil
    }
    guard folder != "" else { throw UsageError("--cache-folder needs a folder") }
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder ?? usualFolder))
    cache.onFault { console.error("DemoCLI: the cache met a fault: \($0)") }
    return cache
  }
}

extension APIService {
  fileprivate func origin(_ responses: StoredResponses, _ call: APICall) -> String {
    responses.origin ?? call.baseURL?.string ?? ""
  }
}

extension SacramentoService {
  func cacheOrigin(of call: APICall) -> String { origin(responses, call) }
}

extension AmesService {
  func cacheOrigin(of call: APICall) -> String { origin(responses, call) }
}

extension NewHomesService {
  func cacheOrigin(of call: APICall) -> String { origin(responses, call) }
}
