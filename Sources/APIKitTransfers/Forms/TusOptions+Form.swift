import APIKit
import APIKitSettings

extension TusOptions: Codable {
  static let form = VersionedForm<Self>(
    name: "TusOptions", start: { Self() },
    .plain("partBytes", \.partBytes), .plain("sendsChecksums", \.sendsChecksums),
    .plain("sendsWithCreation", \.sendsWithCreation),
    .plain("metadata", \.metadata, isSecret: { $0.keys.contains { SecretNames.contains($0) } }),
    .plain("otherOrigins", \.otherOrigins), .plain("journalFolder", \.journalFolder))

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}
