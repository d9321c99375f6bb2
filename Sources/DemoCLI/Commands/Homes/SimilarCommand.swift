import APIKit
import Reformers

/// Lists homes like another one, by managers that apikit-generate has written.
struct SimilarCommand: Command {
  static let name = "similar"
  static let summary = "list homes in the city of a home and about its price, by generated managers"
  static let example = "similar sac-100 --within 5"
  static let operands = ["ID"]
  static let options = [
    Option("--within", value: "PERCENT", help: "how much the price may differ, 0 to 100; the default is 10"),
    Option("--size", value: "N", help: "at most so many homes, 1 to 99; the default is 20"),
  ]

  private let id: String
  private let percent: Int
  private let size: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    id = arguments.operands[0]
    guard HomeSource(id: id) == .sacramento else {
      throw UsageError("\(id) is no id of a home around Sacramento: they begin with sac-")
    }
    percent = try arguments.number("--within", in: 0...100) ?? 10
    size = try arguments.number("--size", in: 1...99) ?? 20
  }

  func run(in session: Session) async throws {
    try Sacramento.use(session.sacramento)
    guard let home = try await GetHomeManager().value(.init(id: id)).data else { throw Self.missing }
    let range = home.askingPrice * percent / 100
    let wanted = FindHomesManager.Input(
      minPrice: home.askingPrice - range, maxPrice: home.askingPrice + range, city: home.city,
      sort: .askingPrice, perPage: size + 1)
    guard let page = try await FindHomesManager().value(wanted).data else { throw Self.missing }
    let homes = page.items.filter { $0.homeID != id }.prefix(size)
    let printer = HomePrinter(session: session)
    if session.writesJSON {
      return try printer.json(["like": home.homeID, "total": page.total - 1, "homes": homes.map(plain)])
    }
    guard !homes.isEmpty else { return session.console.print("No home is like \(id).") }
    session.console.print(TextTable(of: Array(homes), columns: Self.columns))
    session.console.print(
      "\(homes.count) of \(page.total - 1) homes in \(home.city) within \(percent) % of "
        + Formatting.price(home.askingPrice))
  }

  private static let missing = APIError(.response, .malformedBody, "the service reports success without data")

  private static let columns: [TableColumn<Home>] = [
    TableColumn("Id") { $0.homeID },
    TableColumn("Home", minimumWidth: 12) { $0.homeName },
    TableColumn("Price", alignment: .right) { Formatting.price($0.askingPrice) },
    TableColumn("Beds", alignment: .right) { String($0.beds) },
    TableColumn("Area", alignment: .right, isOptional: true) { Formatting.area($0.areaSqft) },
  ]

  private func plain(_ home: Home) -> [String: Any?] {
    [
      "id": home.homeID, "name": home.homeName, "price": home.askingPrice, "beds": home.beds,
      "area": home.areaSqft,
    ]
  }
}
