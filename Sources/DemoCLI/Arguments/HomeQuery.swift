import APIKit

/// Which homes the user asks for, and in which order.
struct HomeQuery: Sendable {
  /// What the homes can be sorted by.
  enum SortKey: String, CaseIterable, Sendable {
    case price, beds, area, place
  }

  var sources: [HomeSource] = HomeSource.allCases
  var filters = Parameters()
  var sort: SortKey?
  var isDescending = false
  var page = 1
  var size = 20

  init() {}

  init(_ arguments: ParsedArguments) throws(UsageError) {
    if let name = arguments.text("--source"), name != "all" {
      guard let source = HomeSource(rawValue: name) else {
        let known = HomeSource.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--source must be \(known) or all, not \(name)")
      }
      sources = [source]
    }
    for name in ["--min-price", "--max-price", "--beds", "--min-area", "--max-area"] {
      if let number = try arguments.number(name, in: 0...Int.max) {
        filters[String(name.dropFirst(2))] = .integer(number)
      }
    }
    if let place = arguments.text("--place") { filters["place"] = .string(place) }
    if let type = arguments.text("--type") { filters["type"] = .string(type) }
    if let text = arguments.text("--sort") {
      isDescending = text.hasPrefix("-")
      guard let key = SortKey(rawValue: isDescending ? String(text.dropFirst()) : text) else {
        let known = SortKey.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--sort must be \(known), or one of them after a -, not \(text)")
      }
      sort = key
    }
    page = try arguments.number("--page", in: 1...1000) ?? 1
    size = try arguments.number("--size", in: 1...100) ?? 20
  }

  /// The parameters of one page, with names that all managers of homes accept; each manager translates them
  /// for its service.
  func parameters(page: Int) -> Parameters {
    var parameters = filters
    if let sort { parameters["sort"] = .string((isDescending ? "-" : "") + sort.rawValue) }
    parameters["page"] = .integer(page)
    parameters["size"] = .integer(size)
    return parameters
  }
}
