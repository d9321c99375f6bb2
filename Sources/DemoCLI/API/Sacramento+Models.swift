// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

import APIKit

/// `#/paths/~1homes/get/parameters/8/schema` of the document.
nonisolated struct FindHomesSort: RawRepresentable, Codable, Hashable, Sendable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
  static let askingPrice = Self(rawValue: "asking_price")
  static let minusAskingPrice = Self(rawValue: "-asking_price")
  static let beds = Self(rawValue: "beds")
  static let minusBeds = Self(rawValue: "-beds")
  static let areaSqft = Self(rawValue: "area_sqft")
  static let minusAreaSqft = Self(rawValue: "-area_sqft")
  static let city = Self(rawValue: "city")
  static let minusCity = Self(rawValue: "-city")
}

/// A home that was sold.
nonisolated struct Home: RawDecodable, Sendable {
  var homeID: String
  var homeName: String
  /// In dollars.
  var askingPrice: Int
  var beds: Int
  var baths: Double
  var areaSqft: Int
  var homeType: HomeType
  var city: String
  var zip: String
  var location: Location
}

nonisolated extension Home {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    homeID = try raw["home_id"].require()
    homeName = try raw["home_name"].require()
    askingPrice = try raw["asking_price"].require()
    beds = try raw["beds"].require()
    baths = try raw["baths"].require()
    areaSqft = try raw["area_sqft"].require()
    homeType = try raw["home_type"].require()
    city = try raw["city"].require()
    zip = try raw["zip"].require()
    location = try Location(raw["location"])
  }
}

/// `#/components/schemas/HomePage` of the document.
nonisolated struct HomePage: RawDecodable, Sendable {
  var items: [Home]
  var page: Int
  var perPage: Int
  /// How many pages there are.
  var pages: Int
  /// How many homes fit.
  var total: Int
}

nonisolated extension HomePage {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    items = try [Home](raw["items"])
    page = try raw["page"].require()
    perPage = try raw["per_page"].require()
    pages = try raw["pages"].require()
    total = try raw["total"].require()
  }
}

/// `#/components/schemas/HomePageReply` of the document.
nonisolated struct HomePageReply: RawDecodable, Sendable {
  /// 0 for success, 1001 for an invalid signature, 1002 for an invalid parameter.
  var code: Int
  var message: String
  var data: HomePage?
}

nonisolated extension HomePageReply {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    code = try raw["code"].require()
    message = try raw["message"].require()
    data = try HomePage?(raw["data"])
  }
}

/// `#/components/schemas/HomeReply` of the document.
nonisolated struct HomeReply: RawDecodable, Sendable {
  /// 0 for success, 1001 for an invalid signature.
  var code: Int
  var message: String
  var data: Home?
}

nonisolated extension HomeReply {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    code = try raw["code"].require()
    message = try raw["message"].require()
    data = try Home?(raw["data"])
  }
}

/// `#/components/schemas/HomeType` of the document.
nonisolated struct HomeType: RawRepresentable, RawLeaf, Codable, Hashable, Sendable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
  static let residential = Self(rawValue: "Residential")
  static let condo = Self(rawValue: "Condo")
  static let multiFamily = Self(rawValue: "Multi_Family")
}

/// `#/components/schemas/Location` of the document.
nonisolated struct Location: RawDecodable, Sendable {
  var lat: Double
  var lon: Double
}

nonisolated extension Location {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    lat = try raw["lat"].require()
    lon = try raw["lon"].require()
  }
}

/// `#/components/schemas/Refusal` of the document.
nonisolated struct Refusal: RawDecodable, Sendable {
  var code: Int
  var message: String
  var data: JSONValue?
}

nonisolated extension Refusal {
  init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    code = try raw["code"].require()
    message = try raw["message"].require()
    data = try raw["data"].optional()
  }
}
