public import APIKit
import Foundation

/// The base URLs of an application's services by environment, from a file or the arguments of the process.
///
/// With it a tester, a test plan or a container chooses the servers without another build. The file is JSON, each
/// service under its `APIService.name`:
///
/// ```json
/// {
///   "environment": "staging",
///   "services": {
///     "Homes": {"release": "https://homes.example.com/api", "staging": "https://staging.example.com/api"},
///     "Rents": {"release": "https://rents.example.com", "staging": "https://rents.staging.example.com"}
///   }
/// }
/// ```
/// Arguments override the file: `--environment staging` the environment in use, and
/// `--base-url Homes=http://127.0.0.1:8080` the base URL of one service in that environment.
///
/// ```swift
/// let table = try EnvironmentTable(contentsOf: "environments.json").applying(CommandLine.arguments)
/// let homes = Homes(environments: try table.environments(of: "Homes"))
/// ```
/// A mistake in either throws `APIError.Reason.misconfigured` and names its position; nothing is guessed.
public struct EnvironmentTable: Sendable {
  /// The environment in use; the default is `ServiceEnvironment.release`.
  public private(set) var current: ServiceEnvironment
  /// The base URLs by the service's name and environment.
  public private(set) var services: [String: [ServiceEnvironment: HTTPURL]]

  /// Makes a table by hand.
  public init(
    _ services: [String: [ServiceEnvironment: HTTPURL]], current: ServiceEnvironment = .release
  ) {
    self.services = services
    self.current = current
  }

  /// Reads a file. It blocks while it reads, so it belongs to the start of the process.
  ///
  /// - Throws: `APIError.Reason.fileFailed` when there is no file that can be read, and
  ///   `APIError.Reason.misconfigured` when it is not of the form above.
  public init(contentsOf path: String) throws(APIError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw APIError(.assembly, .fileFailed, "the environments cannot be read from \(path)")
    }
    do throws(APIError) {
      try self.init(json: Array(data))
    } catch {
      throw APIError(
        .assembly, .misconfigured, "the environments in \(path): \(error.detail)", underlying: error)
    }
  }

  /// Reads the text of such a file.
  ///
  /// - Throws: `APIError.Reason.misconfigured` when it is not of the form above.
  public init(json bytes: [UInt8]) throws(APIError) {
    do throws(APIError) { try self.init(reading: bytes) } catch {
      throw error.reason == .misconfigured
        ? error : APIError(.assembly, .misconfigured, error.detail, underlying: error)
    }
  }

  private init(reading bytes: [UInt8]) throws(APIError) {
    let raw = try RawData(parsing: bytes)
    try raw.require(.object)
    for (name, _) in raw.members where !["environment", "services"].contains(name) {
      throw Self.mistake("\(name) is neither environment nor services")
    }
    current = try raw.environment.optional(String.self).map { ServiceEnvironment($0) } ?? .release
    services = [:]
    for (service, urls) in try raw.services.require(.object).members {
      try urls.require(.object)
      for (environment, url) in urls.members {
        services[service, default: [:]][ServiceEnvironment(environment)] = try Self.url(
          url.require(String.self), of: "\(service) in \(environment)")
      }
    }
    try checkCurrent()
  }

  /// The table with the changes that arguments make; those of other names are not looked at.
  ///
  /// Both forms are read, `--environment staging` and `--environment=staging`, and `-environment` as well, as test
  /// plans write it. The last of equal ones counts.
  public func applying(_ arguments: [String]) throws(APIError) -> EnvironmentTable {
    var table = self
    if let name = try Self.values(of: "environment", in: arguments).last {
      table.current = ServiceEnvironment(name)
      try table.checkCurrent()
    }
    for value in try Self.values(of: "base-url", in: arguments) {
      let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw Self.mistake("--base-url \(value): write SERVICE=URL") }
      guard services[parts[0]] != nil else {
        throw Self.mistake(
          "--base-url \(parts[0]): there is no such service; there are \(Self.list(services.keys))")
      }
      table.services[parts[0]]?[table.current] = try Self.url(parts[1], of: "--base-url \(parts[0])")
    }
    return table
  }

  /// The environments of one service, by its name, for its `APIService.environments`. Call it once for each service:
  /// each call returns another object, which is switched by itself.
  public func environments(of service: String) throws(APIError) -> ServiceEnvironments {
    guard let urls = services[service] else {
      throw Self.mistake("there is no service \(service); there are \(Self.list(services.keys))")
    }
    return ServiceEnvironments(urls, current: current)
  }

  /// A service may lack the environment in use, which then fails its loads; one that all lack is a mistake.
  private func checkCurrent() throws(APIError) {
    let known = Set(services.values.flatMap(\.keys))
    guard !known.contains(current), !known.isEmpty else { return }
    throw Self.mistake("no service has the environment \(current); there are \(Self.list(known.map(\.name)))")
  }

  private static func values(of name: String, in arguments: [String]) throws(APIError) -> [String] {
    var values: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      guard parts[0] == "--" + name || parts[0] == "-" + name else { continue }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
        throw mistake("--\(name) needs a value")
      }
      values.append(value)
    }
    return values
  }

  private static func url(_ text: String, of what: String) throws(APIError) -> HTTPURL {
    do throws(APIError) { return try HTTPURL(text) } catch { throw mistake("\(what): \(error.detail)") }
  }

  private static func list(_ names: some Sequence<String>) -> String {
    names.sorted().joined(separator: ", ")
  }

  private static func mistake(_ detail: String) -> APIError { APIError(.assembly, .misconfigured, detail) }
}
