public import APIKit

extension RawData.Limits: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RawData.Limits", start: { Self() },
    .plain("maximumDepth", \.maximumDepth), .plain("maximumBytes", \.maximumBytes))
}

extension RawData.DecodingOptions: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RawData.DecodingOptions", start: { Self() },
    .plain("keys", \.keys), .plain("dates", \.dates),
    unwritable: ["userInfo": { !$0.userInfo.isEmpty }, "isInherited": { $0.isInherited }])
}

extension RawData.DecodingOptions.Keys: CaseCodable {
  package static let cases = CaseTable<Self>(["asWritten": .asWritten, "snakeCase": .snakeCase])
}

extension RawData.DateFormat: CaseCodable {
  package static let cases = CaseTable<Self>([
    "automatic": .automatic, "iso8601": .iso8601, "epochSeconds": .epochSeconds,
    "epochMilliseconds": .epochMilliseconds,
  ])
}
