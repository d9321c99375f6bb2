extension HTTPHeaders: Written {
  static let form = WrittenForm<Self>(
    name: "HTTPHeaders", start: { Self() },
    members: [
      .mapped(
        "fields", \.fields, isSecret: { fields in fields.contains { SecretNames.contains($0.name) } },
        { $0.map { [$0.name, $0.value] } },
        { lines in
          try lines.map { line in
            guard line.count == 2 else {
              throw APIError(.assembly, .unreadableForm, "a header field is a name and a value")
            }
            return Field(line[0], line[1])
          }
        })
    ])
}

extension HTTPTimeouts: Written {
  static let form = WrittenForm<Self>(
    name: "HTTPTimeouts", start: { Self() },
    members: [.seconds("connect", \.connect), .seconds("idle", \.idle), .seconds("total", \.total)])
}

extension CleartextPolicy: WrittenCases {
  var written: WrittenCase {
    switch kind {
    case .all: WrittenCase("allowed")
    case .loopbackAnd(let hosts): WrittenCase("loopback", hosts.sorted())
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "allowed": .allowed
    case "loopback": .loopback(and: Set(try one.value([String].self)))
    default: nil
    }
  }
}

extension NetworkServiceType: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("standard", .standard), ("background", .background), ("responsiveData", .responsiveData),
    ("video", .video),
    ("voice", .voice),
  ]
}
