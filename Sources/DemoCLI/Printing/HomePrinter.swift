import APIKit
import APIKitImages
import Reformers

/// Prints homes: as a table, as lines, or as JSON.
@MainActor
struct HomePrinter {
  let session: Session

  private static let columns: [TableColumn<PropertyListReformer.Row>] = [
    TableColumn("Id") { $0[.id] },
    TableColumn("Home", minimumWidth: 12) { $0[.name] },
    TableColumn("Price", alignment: .right) { Formatting.price($0[.price]) },
    TableColumn("Beds", alignment: .right) { String($0[.beds]) },
    TableColumn("Baths", alignment: .right, isOptional: true) { Formatting.count($0[.baths]) },
    TableColumn("Area", alignment: .right, isOptional: true) { Formatting.area($0[.area]) },
    TableColumn("Place", minimumWidth: 8, isOptional: true) { $0[.place] },
    TableColumn("Kind", isOptional: true) { $0[.kind] },
  ]

  /// A table of homes.
  static func table(_ homes: [PropertyListReformer.Row]) -> TextTable {
    TextTable(of: homes, columns: columns)
  }

  /// Prints a list of homes and how many there are in all.
  func print(_ homes: HomeLoader.Homes, of query: HomeQuery) throws {
    if session.writesJSON {
      let (name, number) = homes.pages.map { ("pages", $0) } ?? ("page", query.page)
      return try json(result: ["total": homes.total, name: number, "homes": homes.rows.map(plain)])
    }
    guard !homes.rows.isEmpty else {
      if session.hasFailed { return }
      session.console.print(homes.total == 0 ? "No home fits." : "No home on page \(query.page).")
      return printOrigins()
    }
    session.console.print(Self.table(homes.rows))
    let total = Formatting.grouped(homes.total.magnitude)
    if let pages = homes.pages {
      session.console.print("\(total) homes in all, from \(pages) \(pages == 1 ? "page" : "pages")")
    } else {
      session.console.print("\(homes.rows.count) of \(total) homes, page \(query.page)")
    }
    printOrigins()
  }

  /// Prints one home, and what is known of its picture.
  func print(_ home: PropertyListReformer.Row, picture: ImageHead? = nil) throws {
    if session.writesJSON {
      guard let picture else { return try json(result: plain(home)) }
      let told: [String: Any?] = [
        "type": picture.format.rawValue, "width": picture.displaySize?.width,
        "height": picture.displaySize?.height,
      ]
      return try json(result: plain(home).merging(["picture": told]) { own, _ in own })
    }
    let pictureText = picture.map {
      "\($0.format.rawValue), \($0.displaySize?.description ?? "of unknown size")"
    }
    let lines: [(String, String?)] = [
      ("Id", home[.id]), ("Home", home[.name]), ("Price", Formatting.price(home[.price])),
      ("Beds", String(home[.beds])), ("Baths", Formatting.count(home[.baths])),
      ("Area", Formatting.area(home[.area])), ("Place", home[.place]), ("Zip", home[.zip]),
      ("Kind", home[.kind]), ("Built", home[.year].map { String($0) }), ("Service", home[.service]),
      ("Picture", pictureText),
    ]
    for (name, value) in lines {
      guard let value else { continue }
      let text = DisplayWidth.fit(name, to: 9) + DisplayWidth.printable(value)
      session.console.print(DisplayWidth.truncate(text, to: session.console.width))
    }
    printOrigins()
  }

  /// Prints where the responses came from: `from disk, 12 s old`.
  func printOrigins() {
    if let words = session.takeOrigins().words { session.console.print(words) }
  }

  /// Prints a value as one line of JSON, its members sorted.
  func json(_ value: Any) throws {
    session.console.print(try RawData(plain: value).jsonText(canonical: true))
  }

  /// Prints an object made of responses, with where they came from and the age of the oldest.
  func json(result object: [String: Any?]) throws {
    let origins = session.takeOrigins()
    try json(object.merging(["from": origins.counts, "age": origins.oldest]) { own, _ in own })
  }

  /// A home as plain values.
  func plain(_ home: PropertyListReformer.Row) -> [String: Any?] {
    [
      "id": home[.id], "name": home[.name], "price": home[.price], "beds": home[.beds],
      "baths": home[.baths], "area": home[.area], "place": home[.place], "zip": home[.zip],
      "kind": home[.kind], "year": home[.year], "service": home[.service],
    ]
  }
}
