import APIKit
import APIKitSettings

extension SocketOptions: Codable {
  static let form = VersionedForm<Self>(
    name: "SocketOptions", start: { Self() },
    .plain("maximumMessageBytes", \.maximumMessageBytes), .plain("maximumQueuedBytes", \.maximumQueuedBytes),
    .seconds("openLimit", \.openLimit), .seconds("closeLimit", \.closeLimit),
    .seconds("pingInterval", \.pingInterval), .seconds("pingLimit", \.pingLimit),
    .plain("compressionBits", \.compressionBits), .plain("compressesFrom", \.compressesFrom))

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}
