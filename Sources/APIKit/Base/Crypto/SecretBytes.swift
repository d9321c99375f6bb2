/// What holds the bytes of a secret. Rooms that do not know one another pass keys by it.
protocol SecretBytes: Sendable {
  var bytes: [UInt8] { get }
}
