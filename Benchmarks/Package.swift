// swift-tools-version: 6.2

import PackageDescription

/// The measurements; a package of its own, so that applications never build it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "APIKit", path: "..")],
  targets: [
    // The yardstick of the curl group: libcurl called from C.
    .target(name: "BareCurl", linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "APIKit", package: "APIKit"),
        .product(name: "Reformers", package: "APIKit"),
        .product(name: "TestServers", package: "APIKit"),
        .product(name: "DemoServer", package: "APIKit"),
        "BareCurl",
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]
    ),
  ]
)
