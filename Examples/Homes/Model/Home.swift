/// A home, as the server lists it.
struct Home: Decodable, Hashable, Identifiable, Sendable {
  let id: String
  let name: String
  /// In dollars.
  let price: Int
  let beds: Int
  let baths: Double
  /// In square feet.
  let area: Int
  let city: String
  let zip: String

  private enum CodingKeys: String, CodingKey {
    case id = "home_id"
    case name = "home_name"
    case price = "asking_price"
    case area = "area_sqft"
    case beds, baths, city, zip
  }
}
