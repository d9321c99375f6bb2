// swift-tools-version: 6.2

import PackageDescription

/// The clients of others beside which `Scripts/oracles/clients` measures; a package of its own, because APIKit depends on none.
/// `CLIENTS` chooses among them by name.
let known: [(name: String, dependency: Package.Dependency, product: Target.Dependency)] = [
  (
    "Alamofire", .package(url: "https://github.com/Alamofire/Alamofire", from: "5.12.0"),
    .product(name: "Alamofire", package: "Alamofire")
  ),
  (
    "AsyncHTTPClient", .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .product(name: "AsyncHTTPClient", package: "async-http-client")
  ),
  (
    "Get", .package(url: "https://github.com/kean/Get", from: "2.2.0"),
    .product(name: "Get", package: "Get")
  ),
]
let names = Context.environment["CLIENTS"]?.split(separator: " ").map(String.init) ?? known.map(\.name)
let chosen = known.filter { names.contains($0.name) }

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v13)],
  dependencies: chosen.map(\.dependency),
  targets: [
    .executableTarget(
      name: "clients", dependencies: chosen.map(\.product), swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
