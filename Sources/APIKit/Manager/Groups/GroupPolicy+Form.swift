extension GroupPolicy: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .failFast: WrittenCase("failFast")
    case .settleAll: WrittenCase("settleAll")
    case .quorum(let count): WrittenCase("quorum", count)
    case .firstSuccess: WrittenCase("firstSuccess")
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "failFast": .failFast
    case "settleAll": .settleAll
    case "quorum": .quorum(try one.value())
    case "firstSuccess": .firstSuccess
    default: nil
    }
  }
}
