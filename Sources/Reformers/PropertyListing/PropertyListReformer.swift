public import APIKit

/// Reforms the property listings of three services into rows of one kind, with the keys in
/// `PropertyListReformerKeys.swift`.
///
/// Its sources are the services of ``PropertyService``, by their names. A home without id, name or price is
/// an error; other missing values have defaults.
public struct PropertyListReformer: Reformer {
  /// One home.
  public typealias Row = ReformedRow<PropertyListReformer>

  private let list: ListReformer<KeyMapReformer<PropertyListReformer>>

  /// Makes the reformer.
  public init() {
    list = ListReformer(
      each: Self.home,
      at: [
        .service(PropertyService.sacramento): "data.items",
        .service(PropertyService.ames): "result.rows",
        .service(PropertyService.newHomes): "xf_list",
      ])
  }

  /// The homes in the order of the response.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> [Row] {
    try list.reform(raw, from: source)
  }

  /// Makes the row of one home, by the key map of its service.
  static let home = KeyMapReformer<PropertyListReformer>([
    .service(PropertyService.sacramento): [
      .require(.id, "home_id"),
      .require(.name, "home_name"),
      .require(.price, "asking_price"),
      .take(.beds, "beds"),
      .take(.baths, "baths"),
      .take(.area, "area_sqft"),
      .take(.place, "city"),
      .take(.kind, "home_type"),
      .take(.zip, "zip"),
      .set(.service, PropertyService.sacramento),
    ],
    .service(PropertyService.ames): [
      .require(.id, "id", amesID),
      .require(.name, "title"),
      .require(.price, "price.usd"),
      .take(.beds, "rooms.bed"),
      .take(.baths, "rooms.bath") { bath in
        Double(try bath.full.optional(Int.self) ?? 0) + Double(try bath.half.optional(Int.self) ?? 0) / 2
      },
      .take(.area, "size.living_sqft"),
      .take(.place, "neighborhood"),
      .take(.kind, "building.kind"),
      .take(.year, "building.built"),
      .set(.service, PropertyService.ames),
    ],
    .service(PropertyService.newHomes): [
      .require(.id, "xf_id"),
      .require(.name, "xf_name"),
      .require(.price, "xf_price", dollars),
      .take(.beds, "xf_rooms"),
      .take(.baths, "xf_baths"),
      .take(.area, "xf_size"),
      .take(.place, "xf_district"),
      .take(.kind, "xf_kind"),
      .take(.year, "xf_year"),
      .set(.service, PropertyService.newHomes),
    ],
  ])

  /// Makes an id that is unique over all services: those of the Ames service are plain numbers.
  static func amesID(_ raw: RawData) throws -> String { "ames-\(try raw.require(Int.self))" }

  /// Reads a price that is text with cents: `281000.00`.
  static func dollars(_ raw: RawData) throws -> Int {
    guard let dollars = raw.lenientDouble, dollars.magnitude < 1e15 else { throw raw.unexpected("a price") }
    return Int(dollars)
  }
}

/// Reforms the detail responses of the three services into a row with the keys of ``PropertyListReformer``.
public struct PropertyDetailReformer: Reformer {
  /// Makes the reformer.
  public init() {}

  /// The home.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> PropertyListReformer.Row {
    let path = try Self.paths.value(for: source, what: "path of the home")
    return try PropertyListReformer.home.reform(try raw.at(path).require(.object), from: source)
  }

  private static let paths = SourceTable<RawPath>([
    .service(PropertyService.sacramento): "data",
    .service(PropertyService.ames): "result",
    .service(PropertyService.newHomes): "xf_project",
  ])
}

/// The names of the demo's services.
public enum PropertyService {
  /// Homes around Sacramento.
  public static let sacramento = "sacramento"
  /// Homes in Ames.
  public static let ames = "ames"
  /// New homes in Ames.
  public static let newHomes = "new-homes"
}
