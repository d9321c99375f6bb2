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
/// It builds APIKit, its sockets, images and XML through links, and shares with the tests what must be true of the machines of the sockets.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .target(
      name: "CAPIKit",
      linkerSettings: ["curl", "ssl", "crypto", "sqlite3", "z"].map { .linkedLibrary($0) }),
    .target(
      name: "APIKit", dependencies: ["CAPIKit"], exclude: ["PrivacyInfo.xcprivacy"],
      // The machines are no part of the public interface.
      swiftSettings: swift + [.unsafeFlags(["-enable-testing"])]),
    .target(name: "APIKitSettings", dependencies: ["APIKit"], swiftSettings: swift),
    .target(
      name: "APIKitSockets", dependencies: ["APIKit", "APIKitSettings"],
      swiftSettings: swift + [.unsafeFlags(["-enable-testing"])]),
    .target(name: "APIKitImages", dependencies: ["APIKit"], swiftSettings: swift),
    .target(name: "APIKitXML", dependencies: ["APIKit"], swiftSettings: swift),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["APIKit", "APIKitSockets", "APIKitImages", "APIKitXML"],
      // libFuzzer brings the main function.
      swiftSettings: swift + [.unsafeFlags(["-parse-as-library"])]
    ),
  ]
)
