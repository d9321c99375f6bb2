import Foundation

/// The Python programs and packages that `Scripts/test` installs for the servers.
///
/// `.build-interop/venv` of the package, or the folder that the environment variable `APIKIT_HTTPBIN_VENV` names.
enum VirtualEnvironment {
  private static var folder: String {
    ProcessInfo.processInfo.environment["APIKIT_HTTPBIN_VENV"]
      ?? PackageFolder.url.appendingPathComponent(".build-interop/venv").path
  }

  /// Its Python; throws ``TestServerError`` when a program of this name is not installed.
  static func python(with program: String, of name: String) throws -> String {
    guard FileManager.default.isExecutableFile(atPath: "\(folder)/bin/\(program)") else {
      throw missing(name)
    }
    return "\(folder)/bin/python"
  }

  /// Its Python; throws ``TestServerError`` when a package of this name is not installed.
  static func python(withPackage package: String, of name: String) throws -> String {
    let isThere = FileManager.default.enumerator(atPath: "\(folder)/lib")?.contains { path in
      (path as? String)?.hasSuffix("site-packages/\(package)") == true
    }
    guard isThere == true else { throw missing(name) }
    return "\(folder)/bin/python"
  }

  private static func missing(_ name: String) -> TestServerError {
    TestServerError("\(name) is not installed in \(folder). `Scripts/test` installs it.")
  }
}
