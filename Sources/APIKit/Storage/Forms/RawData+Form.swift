extension RawData.Limits: Written {
  static let form = WrittenForm<Self>(
    name: "RawData.Limits", start: { Self() },
    members: [.plain("maximumDepth", \.maximumDepth), .plain("maximumBytes", \.maximumBytes)])
}

extension RawData.DecodingOptions: Written {
  static let form = WrittenForm<Self>(
    name: "RawData.DecodingOptions", start: { Self() },
    members: [.plain("keys", \.keys), .plain("dates", \.dates)],
    unwritable: { $0.userInfo.isEmpty ? nil : "userInfo" })
}

extension RawData.DecodingOptions.Keys: WrittenNames {
  static let names: [(name: String, value: Self)] = [("asWritten", .asWritten), ("snakeCase", .snakeCase)]
}

extension RawData.DateFormat: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("automatic", .automatic), ("iso8601", .iso8601), ("epochSeconds", .epochSeconds),
    ("epochMilliseconds", .epochMilliseconds),
  ]
}
