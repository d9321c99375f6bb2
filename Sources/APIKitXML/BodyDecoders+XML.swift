public import APIKit

extension BodyDecoders {
  /// Registers a decoder of XML for `application/xml`, `text/xml` and `+xml`.
  ///
  /// - Parameter decoder: The decoder; by default one that knows of no arrays and keeps prefixes as they are.
  public mutating func registerXML(_ decoder: XMLBodyDecoder = XMLBodyDecoder()) {
    for type in ["application/xml", "text/xml", "+xml"] { register(decoder, for: type) }
  }

  /// Registers a ``PropertyListBodyDecoder`` for `application/x-plist`, `text/x-plist`, `application/x-apple-plist` and
  /// `+plist`.
  public mutating func registerPropertyLists() {
    for type in ["application/x-plist", "text/x-plist", "application/x-apple-plist", "+plist"] {
      register(PropertyListBodyDecoder(), for: type)
    }
  }
}

extension ParameterEncoding {
  /// All parameters in a body that is an XML property list.
  public static let propertyList = ParameterEncoding.body(PropertyListBodyEncoder())
}
