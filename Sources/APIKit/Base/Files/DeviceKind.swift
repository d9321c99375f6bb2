/// The kinds of devices that differ from the rest in memory, files and network.
package enum DeviceKind: Sendable, CaseIterable {
  case watch
  case television
  case other

  /// The one that this code is compiled for.
  package static var present: DeviceKind {
    #if os(watchOS)
      .watch
    #elseif os(tvOS)
      .television
    #else
      .other
    #endif
  }

  /// How much of the memory the responses of one cache may take, in bytes.
  var responseBytes: Int {
    switch self {
    case .watch: 4 << 20
    case .television: 16 << 20
    case .other: 32 << 20
    }
  }

  /// How much of the disk they may take.
  var diskBytes: Int { self == .watch ? 32 << 20 : 256 << 20 }

  /// How much of the memory decoded pictures may take.
  package var pictureBytes: Int {
    switch self {
    case .watch: 16 << 20
    case .television: 32 << 20
    case .other: 96 << 20
    }
  }

  /// Whether the system leaves an application's files alone. tvOS lets it write to Caches and the temporary folder alone, and may
  /// empty them while the application does not run.
  var keepsFiles: Bool { self != .television }

  /// Whether a path to the network that does not stand means that there is none. On watchOS it stands only for an application that
  /// may open connections itself: while it streams sound or has a call. `URLSession` loads over HTTP for every one.
  /// - SeeAlso: <https://developer.apple.com/documentation/technotes/tn3135-low-level-networking-on-watchos>
  var reportsNetworks: Bool { self != .watch }
}
