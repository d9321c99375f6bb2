// swift-tools-version: 6.2

import PackageDescription

let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The fuzzer; a package of its own, because it links only with a sanitizer. `Scripts/fuzz` builds and runs it.
///
/// Of APIKit it builds the room `Response` and those below, through links: all else would only take time.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "CAPIKit", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "APIKit", dependencies: ["CAPIKit"], swiftSettings: swift),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["APIKit"],
      // libFuzzer brings the main function.
      swiftSettings: swift + [.unsafeFlags(["-parse-as-library"])]
    ),
  ]
)
