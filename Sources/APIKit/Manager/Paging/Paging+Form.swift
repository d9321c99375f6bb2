extension Paging: Written {
  static let form = WrittenForm<Self>(
    name: "Paging", start: { Self(.pageNumber(), items: "") },
    members: [
      .plain("strategy", \.strategy), .mapped("items", \.items, \.description, { RawPath($0) }),
      .mapped("id", \.id, \.?.description, { $0.map { RawPath($0) } }),
      .mapped("total", \.total, \.?.description, { $0.map { RawPath($0) } }),
      .plain("size", \.size), .plain("prefetchDistance", \.prefetchDistance),
      .plain("maximumPages", \.maximumPages),
    ], required: ["strategy", "items"], settle: { $0.size = max(1, $0.size) })
}

extension PagingStrategy: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .pageNumber(let name, let size, let first):
      WrittenCase("pageNumber", Numbers(name: name, size: size, first: first))
    case .offset(let name, let limit): WrittenCase("offset", Offset(name: name, limit: limit))
    case .cursor(let name, let path, let previous, let size):
      WrittenCase("cursor", Cursor(name: name, path: path, previous: previous, size: size))
    case .link(let size): WrittenCase("link", Link(size: size))
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "pageNumber":
      let numbers: Numbers = try one.value()
      return .pageNumber(numbers.name, size: numbers.size, first: numbers.first)
    case "offset":
      let offset: Offset = try one.value()
      return .offset(offset.name, limit: offset.limit)
    case "cursor":
      let cursor: Cursor = try one.value()
      return .cursor(cursor.name, at: cursor.path, previous: cursor.previous, size: cursor.size)
    case "link": return .link(size: try one.value(Link.self).size)
    default: return nil
    }
  }

  // What the cases hold, with the defaults of the cases.

  struct Numbers: Written {
    var name = "page"
    var size: String? = "per_page"
    var first = 1

    static let form = WrittenForm<Self>(
      name: "PagingStrategy.pageNumber", start: { Self() },
      members: [.plain("name", \.name), .plain("size", \.size), .plain("first", \.first)])
  }

  struct Offset: Written {
    var name = "offset"
    var limit: String? = "limit"

    static let form = WrittenForm<Self>(
      name: "PagingStrategy.offset", start: { Self() },
      members: [.plain("name", \.name), .plain("limit", \.limit)])
  }

  struct Cursor: Written {
    var name = "cursor"
    var path: RawPath = ""
    var previous: RawPath?
    var size: String? = "limit"

    static let form = WrittenForm<Self>(
      name: "PagingStrategy.cursor", start: { Self() },
      members: [
        .plain("name", \.name), .mapped("at", \.path, \.description, { RawPath($0) }),
        .mapped("previous", \.previous, \.?.description, { $0.map { RawPath($0) } }),
        .plain("size", \.size),
      ], required: ["at"])
  }

  struct Link: Written {
    var size: String? = "per_page"

    static let form = WrittenForm<Self>(
      name: "PagingStrategy.link", start: { Self() }, members: [.plain("size", \.size)])
  }
}
