extension TakeoffPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "TakeoffPolicy", start: { .concurrent },
    members: [.plain("rule", \.rule), .plain("key", \.key)])
}

extension TakeoffPolicy.Rule: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .concurrent: WrittenCase("concurrent")
    case .ignoreNew: WrittenCase("ignoreNew")
    case .cancelPrevious: WrittenCase("cancelPrevious")
    case .queue(let limit, let overflow): WrittenCase("queue", Queue(limit: limit, overflow: overflow))
    case .debounce(let interval): WrittenCase("debounce", WrittenSeconds(interval))
    case .throttle(let interval, let edge):
      WrittenCase("throttle", Throttle(interval: WrittenSeconds(interval), edge: edge))
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "concurrent": return .concurrent
    case "ignoreNew": return .ignoreNew
    case "cancelPrevious": return .cancelPrevious
    case "queue":
      let queue: Queue = try one.value()
      return .queue(limit: max(0, queue.limit), overflow: queue.overflow)
    case "debounce": return .debounce(try one.value(WrittenSeconds.self).duration)
    case "throttle":
      let throttle: Throttle = try one.value()
      return .throttle(throttle.interval.duration, throttle.edge)
    default: return nil
    }
  }

  private struct Queue: Codable {
    let limit: Int
    let overflow: TakeoffPolicy.QueueOverflow
  }

  private struct Throttle: Codable {
    let interval: WrittenSeconds
    let edge: TakeoffPolicy.ThrottleEdge
  }
}

extension TakeoffPolicy.QueueOverflow: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("refuseNewest", .refuseNewest), ("cancelOldest", .cancelOldest),
  ]
}

extension TakeoffPolicy.ThrottleEdge: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("leading", .leading), ("trailing", .trailing), ("both", .both),
  ]
}

extension TakeoffPolicy.Key: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .manager: WrittenCase("manager")
    case .allParameters: WrittenCase("allParameters")
    case .parameters(let names): WrittenCase("parameters", names)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "manager": .manager
    case "allParameters": .allParameters
    case "parameters": .parameters(try one.value())
    default: nil
    }
  }
}
