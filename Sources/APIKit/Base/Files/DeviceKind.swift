/// The kinds of devices that have other memory than the rest, for the defaults of caches.
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
}
