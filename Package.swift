// swift-tools-version: 6.2

import PackageDescription

/// Stricter than Swift 6 alone: existentials are spelt out and imports never leak to users.
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// What the App Store wants to know of the framework; elsewhere a resource would only cost a bundle beside each program.
#if canImport(Darwin)
  let privacyManifest = (resources: [Resource.copy("PrivacyInfo.xcprivacy")], excluded: [String]())
#else
  let privacyManifest = (resources: [Resource](), excluded: ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
  name: "APIKit",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1), .macCatalyst(.v16)],
  products: [
    .library(name: "APIKit", targets: ["APIKit"]),
    .library(name: "APIKitPaging", targets: ["APIKitPaging"]),
    .library(name: "APIKitGroups", targets: ["APIKitGroups"]),
    .library(name: "APIKitSettings", targets: ["APIKitSettings"]),
    .library(name: "APIKitXML", targets: ["APIKitXML"]),
    .library(name: "APIKitSigning", targets: ["APIKitSigning"]),
    .library(name: "APIKitOAuth", targets: ["APIKitOAuth"]),
    .library(name: "APIKitSockets", targets: ["APIKitSockets"]),
    .library(name: "APIKitTransfers", targets: ["APIKitTransfers"]),
    .library(name: "APIKitReports", targets: ["APIKitReports"]),
    .library(name: "APIKitConsole", targets: ["APIKitConsole"]),
    .library(name: "APIKitImages", targets: ["APIKitImages"]),
    .library(name: "APIKitTesting", targets: ["APIKitTesting"]),
    .library(name: "Reformers", targets: ["Reformers"]),
    .executable(name: "DemoCLI", targets: ["DemoCLI"]),
    .executable(name: "apikit-generate", targets: ["apikit-generate"]),
    .plugin(name: "GenerateAPI", targets: ["GenerateAPI"]),
  ],
  targets: [
    .target(
      name: "CAPIKit",
      linkerSettings: [
        .linkedLibrary("curl", .when(platforms: [.linux])),
        .linkedLibrary("ssl", .when(platforms: [.linux])),
        .linkedLibrary("crypto", .when(platforms: [.linux])),
        .linkedLibrary("sqlite3"),
        .linkedLibrary("z"),
      ]
    ),
    .target(
      name: "APIKit", dependencies: ["CAPIKit"], exclude: privacyManifest.excluded,
      resources: privacyManifest.resources, swiftSettings: swift),
    // Settings as JSON, to keep or to receive them: a versioned form for every policy and configuration, environments.
    .target(name: "APIKitSettings", dependencies: ["APIKit"], swiftSettings: swift),
    // Lists that arrive page by page.
    .target(name: "APIKitPaging", dependencies: ["APIKit", "APIKitSettings"], swiftSettings: swift),
    // Several managers as one: all at once, one after another.
    .target(name: "APIKitGroups", dependencies: ["APIKit", "APIKitSettings"], swiftSettings: swift),
    // XML and property lists, read and written.
    .target(name: "APIKitXML", dependencies: ["APIKit"], swiftSettings: swift),
    // Signatures of requests and responses by common schemes: digests and HMAC, AWS, HTTP message signatures.
    .target(name: "APIKitSigning", dependencies: ["APIKit"], swiftSettings: swift),
    // Sign-in by OAuth 2.0: the code with PKCE in a browser, devices, refresh and revocation, discovery.
    .target(name: "APIKitOAuth", dependencies: ["APIKit", "APIKitSettings"], swiftSettings: swift),
    // Connections that stay open: WebSockets, server-sent events, lines, streams of bytes.
    .target(name: "APIKitSockets", dependencies: ["APIKit", "APIKitSettings"], swiftSettings: swift),
    // Files both ways, and what is kept until it can be sent: downloads, uploads, queues, the action log.
    .target(name: "APIKitTransfers", dependencies: ["APIKit", "APIKitSettings"], swiftSettings: swift),
    // What is kept of loads for other programs and people: HTTP archives, OpenMetrics, JSON lines, a page.
    .target(name: "APIKitReports", dependencies: ["APIKit"], swiftSettings: swift),
    // A live page of loads in a browser, on loopback: for development; no release build needs it.
    .target(name: "APIKitConsole", dependencies: ["APIKit", "APIKitReports"], swiftSettings: swift),
    // Remote images for views, of SwiftUI, UIKit and AppKit; a program without views does without it.
    .target(name: "APIKitImages", dependencies: ["APIKit"], swiftSettings: swift),
    // Transports without a wire, a clock that stands still, contracts of reformers: for tests.
    .target(name: "APIKitTesting", dependencies: ["APIKit", "APIKitReports"], swiftSettings: swift),
    .target(name: "Reformers", dependencies: ["APIKit"], swiftSettings: swift),
    .target(
      name: "DemoServer",
      dependencies: ["APIKit", "APIKitOAuth", "APIKitSigning", "APIKitSockets"],
      // Its files, not the folder: a bundle with a folder of this name cannot be signed for iOS, nor for its simulators.
      resources: [.process("Resources")],
      swiftSettings: swift
    ),
    .executableTarget(
      name: "DemoCLI",
      dependencies: [
        "APIKit", "APIKitGroups", "APIKitPaging", "APIKitOAuth", "APIKitSigning", "APIKitSockets",
        "APIKitTransfers", "APIKitReports", "APIKitConsole", "APIKitImages", "APIKitTesting", "Reformers",
        "DemoServer",
      ],
      exclude: ["API/REPORT.md"],
      swiftSettings: swift
    ),
    // Managers from an OpenAPI document. It writes code that uses the framework, and uses none of it itself.
    .target(name: "APIGenerator", swiftSettings: swift),
    .executableTarget(name: "apikit-generate", dependencies: ["APIGenerator"], swiftSettings: swift),
    // `swift package generate-api`: the same in a package that depends on this one.
    .plugin(
      name: "GenerateAPI",
      capability: .command(
        intent: .custom(
          verb: "generate-api", description: "Writes managers and models of an OpenAPI document; see --help"),
        permissions: [
          .writeToPackageDirectory(reason: "apikit-generate writes the sources into the folder of --into")
        ]),
      dependencies: ["apikit-generate"]),
    // Real servers for tests and measurements: nginx and httpbin as child processes.
    .target(name: "TestServers", dependencies: ["APIKit"], swiftSettings: swift),
    // What several test targets use: scripted servers, managers of a backend whose habits a test sets.
    .target(
      name: "TestSupport",
      dependencies: [
        "APIKit", "APIKitSockets", "APIKitTesting", "TestServers",
        .target(name: "CAPIKit", condition: .when(platforms: [.linux])),
      ],
      path: "Tests/Support", swiftSettings: swift),
    .testTarget(
      name: "APIKitTests",
      dependencies: [
        "APIKit", "APIKitSettings", "APIKitXML", "APIKitOAuth", "APIKitSigning", "APIKitSockets",
        "APIKitTransfers", "APIKitReports", "APIKitTesting", "Reformers", "DemoServer", "TestServers",
        "TestSupport",
        // OpenSSL for scripted servers over TLS.
        .target(name: "CAPIKit", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitPagingTests",
      dependencies: ["APIKit", "APIKitPaging", "APIKitTesting", "DemoServer", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitGroupsTests", dependencies: ["APIKit", "APIKitGroups", "APIKitTesting", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitSettingsTests",
      dependencies: [
        "APIKit", "APIKitGroups", "APIKitOAuth", "APIKitPaging", "APIKitSettings", "APIKitSigning",
        "APIKitSockets", "APIKitTesting", "APIKitTransfers", "TestServers", "TestSupport",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitXMLTests", dependencies: ["APIKit", "APIKitXML", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "APIKitSigningTests",
      dependencies: [
        "APIKit", "APIKitSigning", "APIKitTesting", "DemoServer", "TestServers", "TestSupport",
      ],
      exclude: ["verify_signatures.py"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitOAuthTests",
      dependencies: ["APIKit", "APIKitOAuth", "APIKitTesting", "DemoServer", "TestServers", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitSocketsTests",
      dependencies: ["APIKit", "APIKitSockets", "APIKitTesting", "TestServers", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitTransfersTests",
      dependencies: [
        "APIKit", "APIKitSigning", "APIKitTransfers", "APIKitReports", "APIKitTesting", "DemoServer",
        "TestServers", "TestSupport",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitReportsTests",
      dependencies: ["APIKit", "APIKitReports", "APIKitTesting", "TestServers", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitConsoleTests",
      dependencies: ["APIKit", "APIKitConsole", "APIKitTesting", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "APIKitImagesTests",
      dependencies: [
        "APIKit", "APIKitImages", "APIKitPaging", "APIKitTesting", "APIKitTransfers", "TestSupport",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "ReformersTests", dependencies: ["APIKit", "APIKitTesting", "Reformers"], swiftSettings: swift),
    .testTarget(
      name: "DemoCLITests",
      dependencies: [
        "DemoCLI", "APIKit", "APIKitXML", "APIKitOAuth", "APIKitTransfers", "APIKitReports",
        "APIKitConsole", "APIKitTesting", "DemoServer", "TestServers", "TestSupport",
      ],
      swiftSettings: swift),
    // What `--bases` writes of a document, for tests in another module.
    .target(
      name: "GeneratedShop", dependencies: ["APIKit", "APIKitOAuth", "APIKitPaging", "APIKitTransfers"],
      path: "Tests/GeneratedShop", exclude: ["openapi.json", "REPORT.md"], swiftSettings: swift),
    .testTarget(
      name: "APIGeneratorTests",
      dependencies: [
        "APIGenerator", "APIKit", "APIKitOAuth", "APIKitPaging", "APIKitTesting", "APIKitTransfers",
        "GeneratedShop", "TestSupport",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "DemoServerTests",
      dependencies: ["APIKit", "APIKitXML", "APIKitOAuth", "APIKitSigning", "DemoServer", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "InteropTests",
      dependencies: ["APIKit", "APIKitOAuth", "APIKitSockets", "APIKitTesting", "TestServers"],
      path: "Tests/Interop",
      exclude: [
        "requirements.txt", "authorization_server.py", "ftp_server.py", "socket_server.py", "bytes_server.py",
      ],
      swiftSettings: swift
    ),
  ]
)

#if os(Linux)
  // The measurements, and their yardsticks in C: libcurl called without a framework; heap, cores, a fixed work.
  // They measure the transport of Linux, with glibc's accounts of memory.
  package.targets += [
    .target(
      name: "BareCurl", path: "Benchmarks/Sources/BareCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(
      name: "CMachine", path: "Benchmarks/Sources/CMachine", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "APIKit", "APIKitXML", "APIKitSigning", "APIKitSockets", "APIKitTransfers", "APIKitReports",
        "APIKitImages", "APIKitTesting", "Reformers", "TestServers", "DemoServer", "BareCurl", "CMachine",
      ],
      path: "Benchmarks/Sources/bench", swiftSettings: swift),
    // The least that an application links; see the group `build` of the measurements.
    .executableTarget(
      name: "smallest", dependencies: ["APIKit"], path: "Benchmarks/Sources/smallest", swiftSettings: swift),
    // Random loads over a proxy that breaks connections; see Scripts/soak.
    .executableTarget(
      name: "soak", dependencies: ["APIKit", "APIKitSockets", "APIKitTransfers", "DemoServer", "CMachine"],
      path: "Benchmarks/Sources/soak",
      swiftSettings: swift),
    .testTarget(name: "SoakTests", dependencies: ["soak"], swiftSettings: swift),
    // What the application in Examples/Homes does without views: here it is tested. Xcode builds it by its own project, for
    // systems later than the oldest of the package.
    .target(
      name: "HomesModel",
      dependencies: ["APIKit", "APIKitImages", "APIKitOAuth", "APIKitPaging", "APIKitTransfers"],
      path: "Examples/Homes/Model", packageAccess: false, swiftSettings: swift),
    .testTarget(
      name: "HomesTests",
      dependencies: ["APIKit", "APIKitTransfers", "APIKitTesting", "HomesModel"],
      path: "Examples/Homes/Tests", packageAccess: false, swiftSettings: swift),
    .testTarget(
      name: "HomesServerTests", dependencies: ["APIKit", "APIKitTransfers", "DemoServer", "HomesModel"],
      path: "Examples/Homes/ServerTests", packageAccess: false, swiftSettings: swift),
  ]

  // No warnings, with the compiler that changes are tested with: another one may
  // know more of them.
  #if compiler(>=6.3) && compiler(<6.4)
    for target in package.targets
    where target.swiftSettings != nil {
      target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
  #endif
#endif
