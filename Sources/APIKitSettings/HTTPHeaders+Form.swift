public import APIKit

extension HTTPHeaders: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "HTTPHeaders", start: { Self() },
    .mapped(
      "fields", \.fields, isSecret: { fields in fields.contains { SecretNames.contains($0.name) } },
      write: { $0.map { [$0.name, $0.value] } },
      read: {
        try $0.map {
          try ($0.count == 2 ? Field($0[0], $0[1]) : nil).readable("a header field is a name and a value")
        }
      }))
}

extension HTTPTimeouts: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "HTTPTimeouts", start: { Self() },
    .seconds("connect", \.connect), .seconds("idle", \.idle), .seconds("total", \.total))
}

extension CleartextPolicy: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["allowed": .allowed],
    .holding(
      "loopback", { if case .loopbackAnd(let hosts) = $0.kind { hosts.sorted() } else { nil } },
      make: { .loopback(and: Set($0)) }))
}

extension NetworkServiceType: CaseCodable {
  package static let cases = CaseTable<Self>([
    "standard": .standard, "background": .background, "responsiveData": .responsiveData, "video": .video,
    "voice": .voice,
  ])
}
