// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

import APIKit

/// `#/paths/~1homes/get/parameters/8/schema` of the document.
struct FindHomesSort: RawRepresentable, Codable, Hashable, Sendable {
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
struct Home: Decodable, Sendable {
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

  private enum CodingKeys: String, CodingKey {
    case homeID = "home_id"
    case homeName = "home_name"
    case askingPrice = "asking_price"
    case beds
    case baths
    case areaSqft = "area_sqft"
    case homeType = "home_type"
    case city
    case zip
    case location
  }
}

/// `#/components/schemas/HomePage` of the document.
struct HomePage: Decodable, Sendable {
  var items: [Home]
  var page: Int
  var perPage: Int
  /// How many pages there are.
  var pages: Int
  /// How many homes fit.
  var total: Int

  private enum CodingKeys: String, CodingKey {
    case items
    case page
    case perPage = "per_page"
    case pages
    case total
  }
}

/// `#/components/schemas/HomePageReply` of the document.
struct HomePageReply: Decodable, Sendable {
  /// 0 for success, 1001 for an invalid signature, 1002 for an invalid parameter.
  var code: Int
  var message: String
  var data: HomePage?
}

/// `#/components/schemas/HomeReply` of the document.
struct HomeReply: Decodable, Sendable {
  /// 0 for success, 1001 for an invalid signature.
  var code: Int
  var message: String
  var data: Home?
}

/// `#/components/schemas/HomeType` of the document.
struct HomeType: RawRepresentable, Codable, Hashable, Sendable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
  static let residential = Self(rawValue: "Residential")
  static let condo = Self(rawValue: "Condo")
  static let multiFamily = Self(rawValue: "Multi_Family")
}

/// `#/components/schemas/Location` of the document.
struct Location: Decodable, Sendable {
  var lat: Double
  var lon: Double
}

/// `#/components/schemas/Refusal` of the document.
struct Refusal: Decodable, Sendable {
  var code: Int
  var message: String
  var data: JSONValue?
}
