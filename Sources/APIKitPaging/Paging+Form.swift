import APIKit
package import APIKitSettings

extension Paging: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "Paging", start: { Self(.pageNumber(), items: "") },
    .plain("strategy", \.strategy), .mapped("items", \.items, write: \.description, read: { RawPath($0) }),
    .mapped("id", \.id, write: \.?.description, read: { $0.map { RawPath($0) } }),
    .mapped("total", \.total, write: \.?.description, read: { $0.map { RawPath($0) } }),
    .plain("size", \.pageSize), .plain("prefetchDistance", \.prefetchDistance),
    .plain("maximumPages", \.maximumPages), required: ["strategy", "items"])
}

extension PagingStrategy: CaseCodable {
  package static let cases = CaseTable<Self>(
    .holding(
      "pageNumber",
      { strategy -> Numbers? in
        guard case .pageNumber(let name, let size, let first) = strategy else { return nil }
        return Numbers(name: name, size: size, first: first)
      }, make: { .pageNumber($0.name, size: $0.size, first: $0.first) }),
    .holding(
      "offset",
      { if case .offset(let name, let limit) = $0 { Offset(name: name, limit: limit) } else { nil } },
      make: { .offset($0.name, limit: $0.limit) }),
    .holding(
      "cursor",
      { strategy -> Cursor? in
        guard case .cursor(let name, let path, let previous, let size) = strategy else { return nil }
        return Cursor(name: name, path: path, previous: previous, size: size)
      }, make: { .cursor($0.name, at: $0.path, previous: $0.previous, size: $0.size) }),
    .holding(
      "link", { if case .link(let size) = $0 { Link(size: size) } else { nil } },
      make: { .link(size: $0.size) }))

  // What the cases hold, with the defaults of the cases.

  struct Numbers: VersionedCodable {
    var name = "page"
    var size: String? = "per_page"
    var first = 1

    package static let form = VersionedForm<Self>(
      name: "PagingStrategy.pageNumber", start: { Self() },
      .plain("name", \.name), .plain("size", \.size), .plain("first", \.first))
  }

  struct Offset: VersionedCodable {
    var name = "offset"
    var limit: String? = "limit"

    package static let form = VersionedForm<Self>(
      name: "PagingStrategy.offset", start: { Self() },
      .plain("name", \.name), .plain("limit", \.limit))
  }

  struct Cursor: VersionedCodable {
    var name = "cursor"
    var path: RawPath = ""
    var previous: RawPath?
    var size: String? = "limit"

    package static let form = VersionedForm<Self>(
      name: "PagingStrategy.cursor", start: { Self() },
      .plain("name", \.name), .mapped("at", \.path, write: \.description, read: { RawPath($0) }),
      .mapped("previous", \.previous, write: \.?.description, read: { $0.map { RawPath($0) } }),
      .plain("size", \.size), required: ["at"])
  }

  struct Link: VersionedCodable {
    var size: String? = "per_page"

    package static let form = VersionedForm<Self>(
      name: "PagingStrategy.link", start: { Self() }, .plain("size", \.size))
  }
}
