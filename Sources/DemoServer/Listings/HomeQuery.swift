/// Which homes in which order: the query of all three services.
struct HomeQuery {
  var price: (from: Int?, to: Int?) = (nil, nil)
  var area: (from: Int?, to: Int?) = (nil, nil)
  var leastBeds: Int?
  var place: String?
  var kind: String?
  /// Words that each begin one of the place, the kind or the ZIP code.
  var words: String?
  var order: Order = .none

  /// What homes can be sorted by.
  enum Order {
    case none
    case by(SortKey, descending: Bool)
  }

  enum SortKey: String {
    case price, beds, area, place, year
  }

  /// The homes that fit, in order; equal homes keep the order of the data.
  func apply(to homes: [Home]) -> [Home] {
    let place = self.place.map(Self.plain)
    let kind = self.kind.map(Self.plain)
    let words = (self.words.map(Self.plain) ?? "").split(separator: " ")
    let found = homes.filter { home in
      if let from = price.from, home.price < from { return false }
      if let to = price.to, home.price > to { return false }
      if let from = area.from, home.area < from { return false }
      if let to = area.to, home.area > to { return false }
      if let leastBeds, home.beds < leastBeds { return false }
      if let place, Self.plain(home.place) != place { return false }
      if let kind, Self.plain(home.kind) != kind { return false }
      if !words.isEmpty {
        let own = Self.plain("\(home.place) \(home.kind) \(home.zip)").split(separator: " ")
        guard words.allSatisfy({ word in own.contains { $0.hasPrefix(word) } }) else { return false }
      }
      return true
    }
    guard case .by(let key, let descending) = order else { return found }
    let places = found.enumerated().sorted { left, right in
      let (first, second) = descending ? (right.element, left.element) : (left.element, right.element)
      if Self.precedes(first, second, by: key) { return true }
      if Self.precedes(second, first, by: key) { return false }
      return left.offset < right.offset
    }
    return places.map(\.element)
  }

  private static func precedes(_ left: Home, _ right: Home, by key: SortKey) -> Bool {
    switch key {
    case .price: left.price < right.price
    case .beds: left.beds < right.beds
    case .area: left.area < right.area
    case .place: left.place < right.place
    case .year: left.yearBuilt < right.yearBuilt
    }
  }

  /// Lower case with spaces between words: `ELK_GROVE`, `elk-grove` and `Elk Grove` are one place.
  private static func plain(_ text: String) -> String {
    String(text.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
  }
}

/// A query value that a service does not accept.
struct InvalidQuery: Error {
  var name: String
  var text: String
}

extension DemoRequest {
  /// A whole number of at least zero; nil when the value is missing or empty.
  func number(_ name: String) throws(InvalidQuery) -> Int? {
    guard let text = self[name], !text.isEmpty else { return nil }
    guard let value = Int(text), value >= 0 else {
      throw InvalidQuery(name: name, text: "\(name) must be a whole number of at least 0")
    }
    return value
  }

  /// A text; nil when it is missing or empty.
  func text(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
