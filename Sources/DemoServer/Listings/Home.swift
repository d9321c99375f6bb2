import Foundation

/// One home of the data, in the names that all services share.
struct Home: Sendable {
  /// The row in its file, from 1. It never changes, so the ids are made of it.
  var number: Int
  var price: Int
  var beds: Int
  var fullBaths: Int
  var halfBaths: Int
  /// Square feet of living area.
  var area: Int
  /// City or neighbourhood, with spaces between words.
  var place: String
  var kind: String
  var latitude: Double
  var longitude: Double
  /// Sacramento only.
  var zip = ""
  /// Ames only, as are the rest.
  var style = ""
  var lotArea = 0
  var yearBuilt = 0
  var yearSold = 0
  var monthSold = 0
  var garageCars = 0
  var saleType = ""

  var baths: Double { Double(fullBaths) + Double(halfBaths) / 2 }
}

/// The homes of the three services, read once for the whole process.
struct HomeStore: Sendable {
  var sacramento: [Home]
  var ames: [Home]
  /// The Ames homes that were new when they sold.
  var newAmes: [Home]

  /// The homes; throws when the files cannot be read.
  static func load() throws(DemoServerError) -> HomeStore { try shared.get() }

  private static let shared = Result<HomeStore, DemoServerError> { () throws(DemoServerError) in
    let sacramento = try CSVTable(resource: "sacramento").rows.enumerated().map {
      (index, row) throws(DemoServerError) in try sacramentoHome(number: index + 1, row)
    }
    let ames = try CSVTable(resource: "ames").rows.enumerated().map {
      (index, row) throws(DemoServerError) in try amesHome(number: index + 1, row)
    }
    return HomeStore(
      sacramento: sacramento, ames: ames, newAmes: ames.filter { $0.yearSold - $0.yearBuilt <= 1 })
  }

  private static func sacramentoHome(number: Int, _ row: CSVTable.Row) throws(DemoServerError) -> Home {
    let baths = try row.double("baths")
    return Home(
      number: number, price: try row.int("price"), beds: try row.int("beds"), fullBaths: Int(baths),
      halfBaths: baths == baths.rounded(.down) ? 0 : 1, area: try row.int("sqft"),
      place: try row.words("city").capitalized, kind: try row.text("type"),
      latitude: try row.double("latitude"), longitude: try row.double("longitude"), zip: try row.text("zip"))
  }

  private static func amesHome(number: Int, _ row: CSVTable.Row) throws(DemoServerError) -> Home {
    Home(
      number: number, price: try row.int("Sale_Price"), beds: try row.int("Bedroom_AbvGr"),
      fullBaths: try row.int("Full_Bath"), halfBaths: try row.int("Half_Bath"),
      area: try row.int("Gr_Liv_Area"), place: try row.words("Neighborhood"),
      kind: try row.text("Bldg_Type"), latitude: try row.double("Latitude"),
      longitude: try row.double("Longitude"), style: try row.text("House_Style"),
      lotArea: try row.int("Lot_Area"), yearBuilt: try row.int("Year_Built"),
      yearSold: try row.int("Year_Sold"), monthSold: try row.int("Mo_Sold"),
      garageCars: try row.int("Garage_Cars"), saleType: try row.text("Sale_Type"))
  }
}

/// A file of comma-separated values without quotes, as all files of the demo are.
struct CSVTable {
  /// One line, whose cells are read by the names of their columns.
  struct Row {
    var file: String
    var line: Int
    var columns: [Substring: Int]
    var cells: [Substring]

    func text(_ name: Substring) throws(DemoServerError) -> String {
      guard let index = columns[name], index < cells.count else { throw failure(name, "is missing") }
      return cells[index].trimmingCharacters(in: .whitespaces)
    }
    func words(_ name: Substring) throws(DemoServerError) -> String {
      String(try text(name).map { $0 == "_" ? " " : $0 })
    }
    func int(_ name: Substring) throws(DemoServerError) -> Int {
      guard let value = Int(try text(name)) else { throw failure(name, "is not a whole number") }
      return value
    }
    func double(_ name: Substring) throws(DemoServerError) -> Double {
      guard let value = Double(try text(name)) else { throw failure(name, "is not a number") }
      return value
    }
    private func failure(_ name: Substring, _ why: String) -> DemoServerError {
      DemoServerError("\(file), line \(line): \(name) \(why)")
    }
  }

  let rows: [Row]

  init(resource: String) throws(DemoServerError) {
    let file = resource + ".csv"
    guard let url = Bundle.module.url(forResource: resource, withExtension: "csv"),
      let data = try? Data(contentsOf: url)
    else {
      throw DemoServerError("the listings \(file) cannot be read from the package's resources")
    }
    let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard let header = lines.first else { throw DemoServerError("\(file) is empty") }
    let names = header.split(separator: ",", omittingEmptySubsequences: false)
    let columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    rows = lines.enumerated().dropFirst().map { index, line in
      Row(
        file: file, line: index + 1, columns: columns,
        cells: line.split(separator: ",", omittingEmptySubsequences: false))
    }
  }
}

extension Home {
  /// The words for a style of the data, such as `One_and_Half_Fin`.
  static func words(forStyle style: String) -> String {
    switch style {
    case "One_Story": "One-storey"
    case "Two_Story": "Two-storey"
    case "One_and_Half_Fin", "One_and_Half_Unf": "One-and-a-half-storey"
    case "Two_and_Half_Fin", "Two_and_Half_Unf": "Two-and-a-half-storey"
    case "SLvl": "Split-level"
    case "SFoyer": "Split-foyer"
    default: "Other"
    }
  }

  /// The words for a kind of the data, such as `TwnhsE`.
  static func words(forKind kind: String) -> String {
    switch kind {
    case "OneFam": "family home"
    case "TwnhsE": "end townhouse"
    case "Twnhs": "townhouse"
    case "Duplex": "duplex"
    case "TwoFmCon": "two-family conversion"
    case "Residential": "home"
    case "Condo": "condo"
    case "Multi_Family": "multi-family home"
    default: "building"
    }
  }
}
