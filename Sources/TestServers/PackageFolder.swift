public import Foundation

/// The package that the tests belong to, for tests that read its sources and documents.
public enum PackageFolder {
  /// Its root.
  public static let url = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..")
    .standardizedFileURL

  /// The libraries' targets: the core and its leaves.
  public static let libraries = [
    "APIKit", "APIKitPaging", "APIKitGroups", "APIKitSettings", "APIKitXML", "APIKitSigning", "APIKitOAuth",
    "APIKitSockets", "APIKitTransfers", "APIKitReports", "APIKitConsole", "APIKitImages",
  ]

  /// The Swift files of the core and its leaves.
  public static func sources() -> [URL] {
    libraries.flatMap { name in
      let folder = url.appendingPathComponent("Sources/\(name)")
      let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appendingPathComponent($0) }
    }
  }
}
