// swift-tools-version: 6.2

import PackageDescription

/// The measurements; a package of its own, so that applications never build it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "APIKit", path: "..")],
  targets: [
    // The yardstick of the path and curl groups: libcurl called from C.
    .target(name: "BareCurl", linkerSettings: [.linkedLibrary("curl")]),
    // Heap, cores, and a piece of work that is the same on every machine.
    .target(name: "CMachine"),
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "APIKit", package: "APIKit"),
        .product(name: "Reformers", package: "APIKit"),
        .product(name: "TestServers", package: "APIKit"),
        .product(name: "DemoServer", package: "APIKit"),
        "BareCurl",
        "CMachine",
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
