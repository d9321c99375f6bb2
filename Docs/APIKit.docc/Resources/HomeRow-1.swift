import APIKit

struct HomeRow: Sendable {
  let name: String
  let price: String
}

struct HomeRowReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> [HomeRow] {
    try raw["data", "items"].require(.array).elements.map { home in
      HomeRow(
        name: try home.home_name.require(String.self),
        price: "$\(try home.asking_price.require(Int.self))")
    }
  }
}
