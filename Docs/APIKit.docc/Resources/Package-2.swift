// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "HomeList",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(url: "<repository URL>", branch: "main")
  ],
  targets: [
    .executableTarget(
      name: "HomeList", dependencies: [.product(name: "APIKit", package: "APIKit")])
  ]
)
