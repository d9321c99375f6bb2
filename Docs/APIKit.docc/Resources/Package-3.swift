// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "HomeList",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(path: "../APIKit")
  ],
  targets: [
    .executableTarget(
      name: "HomeList", dependencies: [.product(name: "APIKit", package: "APIKit")]),
    .testTarget(
      name: "HomeListTests",
      dependencies: [
        "HomeList",
        .product(name: "APIKit", package: "APIKit"),
        .product(name: "APIKitTesting", package: "APIKit"),
      ]),
  ]
)
