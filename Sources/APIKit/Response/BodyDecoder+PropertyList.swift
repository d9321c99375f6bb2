/// Reads property lists, XML and binary alike; which one a body is shows in its first bytes.
///
/// Dictionaries, arrays, strings, integers, reals and truth are what they are in JSON. A date is a string of
/// ISO 8601 and data a string of base64, so ``RawData/date`` and ``RawData/data`` read them. A real that is
/// not finite is null. A set is an array, and a UID an object with the one member `CF$UID`.
///
/// The reader is our own: it has limits, where the system's follows nesting and shared objects as far as the
/// sender likes. XML must be UTF-8, and entities other than the five of XML and character references are
/// refused.
/// - SeeAlso: <https://opensource.apple.com/source/CF/CF-1153.18/CFBinaryPList.c>
public struct PropertyListBodyDecoder: BodyDecoder {
  /// A decoder; it has no settings.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Reads a property list.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try limits.check(bytes)
    let json: [UInt8]
    if bytes.starts(with: "bplist".utf8) {
      var list = RawBinaryPropertyList(bytes, limits)
      json = try list.json()
    } else {
      var list = RawXMLPropertyList(bytes, limits)
      json = try list.json()
    }
    return try RawData(parsing: json, limits: limits.ofWrittenText)
  }
}
