// All that a view of property listings uses: the keys, independent of the services.

extension ReformedKey where Owner == PropertyListReformer, Value == String {
  /// The id, unique over all services: `sac-17`, `ames-17`, `xf-17`.
  public static var id: Self { Self("id", default: "") }
  /// The name of the home.
  public static var name: Self { Self("name", default: "") }
  /// City or neighbourhood.
  public static var place: Self { Self("place", default: "") }
  /// The kind of building, as the service names it: `Residential`, `OneFam`.
  public static var kind: Self { Self("kind", default: "") }
  /// The name of the service that listed it.
  public static var service: Self { Self("service", default: "") }
}

extension ReformedKey where Owner == PropertyListReformer, Value == Int {
  /// The price in whole US dollars.
  public static var price: Self { Self("price", default: 0) }
  /// Bedrooms.
  public static var beds: Self { Self("beds", default: 0) }
  /// Living area in square feet.
  public static var area: Self { Self("area", default: 0) }
}

extension ReformedKey where Owner == PropertyListReformer, Value == Double {
  /// Bathrooms; a half bathroom counts 0.5.
  public static var baths: Self { Self("baths", default: 0) }
}

extension ReformedKey where Owner == PropertyListReformer, Value == Int? {
  /// The year in which it was built; nil where the service does not state it.
  public static var year: Self { Self("year") }
}

extension ReformedKey where Owner == PropertyListReformer, Value == String? {
  /// The postal code; nil where the service does not state it.
  public static var zip: Self { Self("zip") }
}
