import APIKit
import Foundation

/// Makes the folders of queues, sessions and journals.
enum TransferFolder {
  private static let excluded = Mutex<Set<String>>([])

  /// Makes a private folder where there is none, and excludes it from backups: what is on its way belongs to this device, and
  /// would be sent again by one that is restored. The journals of uploads, too: another device has other files.
  ///
  /// - Parameter isOwn: Whether nothing else is in it. One that the application has made for other files as well stays in
  ///   backups.
  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/urlresourcevalues/isexcludedfrombackup>
  static func make(_ path: String, isOwn: Bool = true) throws(PrivateFile.Fault) {
    let isNew = !PrivateFile.exists(path)
    try PrivateFile.makeFolder(path)
    guard isNew || isOwn && !isExcluded(path) else { return }
    excluded.withLock { _ = $0.insert(path) }
    #if canImport(Darwin)
      var url = URL(fileURLWithPath: path)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      do { try url.setResourceValues(values) } catch {
        DeveloperNotice.give("the folder \(path) cannot be excluded from backups: \(error)")
      }
    #endif
  }

  /// Whether this process has excluded a folder.
  static func isExcluded(_ path: String) -> Bool { excluded.withLock { $0.contains(path) } }
}
