// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

import APIKit

/// `GET /homes`: The homes that fit, a page at a time.
final class FindHomesManager: BaseAPIManager, SacramentoManager {
  nonisolated struct Input: Encodable, Sendable {
    /// At least this asking price, in dollars.
    var minPrice: Int?
    /// At most this asking price, in dollars.
    var maxPrice: Int?
    /// At least this living area, in square feet.
    var minArea: Int?
    /// At most this living area, in square feet.
    var maxArea: Int?
    /// At least so many bedrooms.
    var minBeds: Int?
    /// The city; case does not count.
    var city: String?
    /// The kind of building.
    var homeType: HomeType?
    /// Words that each begin one of the city, the kind or the ZIP code.
    var q: String?
    /// The order; with a minus the largest first.
    var sort: FindHomesSort?
    /// The page, from 1.
    var page: Int?
    /// Homes on a page.
    var perPage: Int?

    private enum CodingKeys: String, CodingKey {
      case minPrice = "min_price"
      case maxPrice = "max_price"
      case minArea = "min_area"
      case maxArea = "max_area"
      case minBeds = "min_beds"
      case city
      case homeType = "home_type"
      case q
      case sort
      case page
      case perPage = "per_page"
    }
  }

  typealias Output = HomePageReply
  let service = Sacramento.shared, apiName = "homes"
}

/// `GET /homes/{id}`: One home.
final class GetHomeManager: BaseAPIManager, SacramentoManager {
  nonisolated struct Input: Encodable, Sendable {
    /// The home_id of a list, such as sac-17.
    var id: String
  }

  typealias Output = HomeReply
  let service = Sacramento.shared, apiName = "homes/{id}"
}
