import APIKit
import Foundation

/// Types of an application, read from a page of 20 homes that have 20 members each: 6, 10 and all of them.
func typedRows(_ measurement: Measurement) throws {
  try typedRows(measurement, 6, as: Home6.self)
  try typedRows(measurement, 10, as: Home10.self)
  try typedRows(measurement, 20, as: Home20.self)
}

private func typedRows<Home: Decodable & RawDecodable>(
  _ measurement: Measurement, _ members: Int, as type: Home.Type
) throws {
  let bytes = try RawFixtures.homes()
  let data = Data(bytes)
  let decoder = JSONDecoder()
  try measurement.compare(
    "\(members) members of 20 homes as Decodable, against JSONDecoder", bar: .atLeast(6),
    ours: { keep(try RawData(parsing: bytes).decode(as: Page<Home>.self, options: .default)) },
    theirs: { keep(try decoder.decode(Page<Home>.self, from: data)) })
  try measurement.compare(
    "\(members) members of 20 homes as RawDecodable, against JSONDecoder", bar: .atLeast(12),
    ours: { keep(try RawData(parsing: bytes).decode(as: Page<Home>.self)) },
    theirs: { keep(try decoder.decode(Page<Home>.self, from: data)) })
}

private struct Page<Home: Decodable & RawDecodable>: Decodable, RawDecodable {
  var code: Int
  var total: Int
  var items: [Home]

  init(_ raw: borrowing RawData) throws {
    code = try raw.code.require()
    total = try raw.total.require()
    items = try [Home](raw.items)
  }
}

private struct Home6: Decodable, RawDecodable {
  var id: Int
  var title: String
  var price: Double
  var beds: Int
  var type: String
  var sold: Bool

  init(_ raw: borrowing RawData) throws {
    id = try raw.id.require()
    title = try raw.title.require()
    price = try raw.price.require()
    beds = try raw.beds.require()
    type = try raw.type.require()
    sold = try raw.sold.require()
  }
}

private struct Home10: Decodable, RawDecodable {
  var id: Int
  var title: String
  var price: Double
  var beds: Int
  var type: String
  var sold: Bool
  var city: String
  var zip: String
  var baths: Double
  var sqft: Int

  init(_ raw: borrowing RawData) throws {
    id = try raw.id.require()
    title = try raw.title.require()
    price = try raw.price.require()
    beds = try raw.beds.require()
    type = try raw.type.require()
    sold = try raw.sold.require()
    city = try raw.city.require()
    zip = try raw.zip.require()
    baths = try raw.baths.require()
    sqft = try raw.sqft.require()
  }
}

private struct Home20: Decodable, RawDecodable {
  var id: Int
  var title: String
  var price: Double
  var beds: Int
  var type: String
  var sold: Bool
  var city: String
  var zip: String
  var baths: Double
  var sqft: Int
  var state: String
  var agent: String?
  var phone: String
  var year: Int
  var floor: Int
  var lift: Bool
  var fee: Double
  var heating: String
  var latitude: Double
  var longitude: Double

  init(_ raw: borrowing RawData) throws {
    id = try raw.id.require()
    title = try raw.title.require()
    price = try raw.price.require()
    beds = try raw.beds.require()
    type = try raw.type.require()
    sold = try raw.sold.require()
    city = try raw.city.require()
    zip = try raw.zip.require()
    baths = try raw.baths.require()
    sqft = try raw.sqft.require()
    state = try raw.state.require()
    agent = try raw.agent.optional()
    phone = try raw.phone.require()
    year = try raw.year.require()
    floor = try raw.floor.require()
    lift = try raw.lift.require()
    fee = try raw.fee.require()
    heating = try raw.heating.require()
    latitude = try raw.latitude.require()
    longitude = try raw.longitude.require()
  }
}
