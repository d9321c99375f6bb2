public import APIKit

/// Reforms the responses that ``PropertyListReformer`` reads into points of a map: one API, two views, two
/// reformers.
///
/// Reads five values of each home.
public struct PropertyMapReformer: Reformer {
  /// One home on the map.
  public struct Point: Sendable, Hashable {
    /// The id, the same as in the list.
    public var id: String
    /// The name.
    public var name: String
    /// The price in whole US dollars.
    public var price: Int
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// Makes a point.
    public init(id: String, name: String, price: Int, latitude: Double, longitude: Double) {
      self.id = id
      self.name = name
      self.price = price
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// Makes the reformer.
  public init() {}

  /// The points in the order of the response.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> [Point] {
    try Self.points.reform(raw, from: source)
  }

  private static let points = ListReformer(
    each: home.then { row, _ in
      Point(
        id: row[.id], name: row[.name], price: row[.price], latitude: row[.latitude],
        longitude: row[.longitude])
    },
    at: [
      .service(PropertyService.sacramento): "data.items",
      .service(PropertyService.ames): "result.rows",
      .service(PropertyService.newHomes): "xf_list",
    ])

  private static let home = KeyMapReformer<PropertyMapReformer>([
    .service(PropertyService.sacramento): [
      .require(.id, "home_id"),
      .require(.name, "home_name"),
      .require(.price, "asking_price"),
      .require(.latitude, "location.lat", degrees(upTo: 90)),
      .require(.longitude, "location.lon", degrees(upTo: 180)),
    ],
    .service(PropertyService.ames): [
      .require(.id, "id", PropertyListReformer.amesID),
      .require(.name, "title"),
      .require(.price, "price.usd"),
      .require(.latitude, "geo[1]", degrees(upTo: 90)),
      .require(.longitude, "geo[0]", degrees(upTo: 180)),
    ],
    .service(PropertyService.newHomes): [
      .require(.id, "xf_id"),
      .require(.name, "xf_name"),
      .require(.price, "xf_price", PropertyListReformer.dollars),
      .require(.latitude, "xf_lat", degrees(upTo: 90)),
      .require(.longitude, "xf_lng", degrees(upTo: 180)),
    ],
  ])

  private static func degrees(upTo limit: Double) -> @Sendable (RawData) throws -> Double {
    { raw in
      guard let degrees = raw.double, degrees.magnitude <= limit else {
        throw raw.unexpected("degrees from -\(Int(limit)) to \(Int(limit))")
      }
      return degrees
    }
  }
}

extension ReformedKey where Owner == PropertyMapReformer, Value == String {
  fileprivate static var id: Self { Self("id", default: "") }
  fileprivate static var name: Self { Self("name", default: "") }
}

extension ReformedKey where Owner == PropertyMapReformer, Value == Int {
  fileprivate static var price: Self { Self("price", default: 0) }
}

extension ReformedKey where Owner == PropertyMapReformer, Value == Double {
  fileprivate static var latitude: Self { Self("latitude", default: 0) }
  fileprivate static var longitude: Self { Self("longitude", default: 0) }
}
