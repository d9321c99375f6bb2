package import Foundation

extension Bundle {
  /// Whether this process is an extension of an application.
  package static let isOfExtension = isExtension(main.bundlePath)

  /// Whether a bundle is an extension of an application.
  /// - SeeAlso: <https://developer.apple.com/library/archive/documentation/General/Conceptual/ExtensibilityPG/ExtensionOverview.html>
  package static func isExtension(_ path: String) -> Bool { (path as NSString).pathExtension == "appex" }
}
