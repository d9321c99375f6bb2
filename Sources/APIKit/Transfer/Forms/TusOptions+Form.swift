extension TusOptions: Written {
  static let form = WrittenForm<Self>(
    name: "TusOptions", start: { Self() },
    members: [
      .plain("partBytes", \.partBytes), .plain("sendsChecksums", \.sendsChecksums),
      .plain("sendsWithCreation", \.sendsWithCreation),
      .plain("metadata", \.metadata, isSecret: { $0.keys.contains { SecretNames.contains($0) } }),
      .plain("otherOrigins", \.otherOrigins), .plain("journalFolder", \.journalFolder),
    ])
}
