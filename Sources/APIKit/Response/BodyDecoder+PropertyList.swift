/// Decodes property lists, XML or binary; the first bytes of a body show which one it is.
///
/// Dictionaries, arrays, strings, integers, reals and booleans become their JSON counterparts. A date
/// becomes a string of ISO 8601 and data a string of base64, so ``RawData/date`` and ``RawData/data`` read
/// them. A real that is not finite becomes null, a set an array, and a UID an object with the single member
/// `CF$UID`.
///
/// The parser is the framework's own, because the system's has no limits for nesting and shared objects.
/// XML must be UTF-8; entities other than the five of XML and character references are refused.
/// - SeeAlso: <https://opensource.apple.com/source/CF/CF-1153.18/CFBinaryPList.c>
public struct PropertyListBodyDecoder: BodyDecoder {
  /// Makes a decoder.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Decodes a property list.
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
