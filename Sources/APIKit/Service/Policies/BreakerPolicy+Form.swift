extension BreakerPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "BreakerPolicy", start: { Self() },
    members: [
      .plain("scope", \.scope), .seconds("window", \.window), .plain("minimumAttempts", \.minimumAttempts),
      .plain("failureRatio", \.failureRatio), .seconds("openInterval", \.openInterval),
      .seconds("maximumOpenInterval", \.maximumOpenInterval), .plain("probes", \.probes),
    ])
}

extension BreakerPolicy.Scope: WrittenNames {
  static let names: [(name: String, value: Self)] = [("host", .host), ("api", .api)]
}

extension TracePolicy: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("none", .none), ("sent", .sent), ("sentEverywhere", .sentEverywhere),
  ]
}

extension HostLimits: Written {
  static let form = WrittenForm<Self>(
    name: "HostLimits", start: { Self(attemptsPerHost: 1) },
    members: [.plain("attemptsPerHost", \.attemptsPerHost), .seconds("ageing", \.ageing)],
    settle: { $0 = Self(attemptsPerHost: $0.attemptsPerHost, ageing: $0.ageing) })
}

extension RequestRate: Written {
  static let form = WrittenForm<Self>(
    name: "RequestRate", start: { .unlimited },
    members: [
      .plain("requests", \.requests), .seconds("interval", \.interval), .plain("scope", \.scope),
      .plain("excess", \.excess),
    ], settle: { $0 = Self($0.requests, per: $0.interval, scope: $0.scope, excess: $0.excess) })
}

extension RequestRate.Scope: WrittenNames {
  static let names: [(name: String, value: Self)] = [("service", .service), ("api", .api)]
}

extension RequestRate.Excess: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .wait(let most): WrittenCase("wait", most)
    case .refuse: WrittenCase("refuse")
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "wait": .wait(atMost: try one.value())
    case "refuse": .refuse
    default: nil
    }
  }
}

extension NetworkGate: Written {
  static let form = WrittenForm<Self>(
    name: "NetworkGate", start: { .fly },
    members: [
      .plain("rule", \.rule), .plain("allowsExpensive", \.allowsExpensive),
      .plain("allowsConstrained", \.allowsConstrained),
    ])
}

extension NetworkGate.Rule: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .fly: WrittenCase("fly")
    case .refuse: WrittenCase("refuse")
    case .wait(let limit): WrittenCase("wait", WrittenSeconds(limit))
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "fly": .fly
    case "refuse": .refuse
    case "wait": .wait(upTo: try one.value(WrittenSeconds.self).duration)
    default: nil
    }
  }
}
