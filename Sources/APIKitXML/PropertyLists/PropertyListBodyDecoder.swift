public import APIKit

/// Decodes property lists, XML or binary; the first bytes of a body show which one it is.
///
/// Dictionaries, arrays, strings, integers, reals and booleans become their JSON counterparts. A date
/// becomes a string of ISO 8601 and data a string of base64, so `RawData.date` and `RawData.data` read
/// them. A real that is not finite becomes null, a set an array, and a UID an object with the single member
/// `CF$UID`.
///
/// The parsers are the framework's own, because the system's have no limits for nesting and shared objects. XML is read as by
/// ``XMLBodyDecoder``, in any of its charsets; a document type is skipped where it declares nothing.
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
      json = try RawXMLPropertyList.json(try XMLBodyDecoder.text(of: bytes, nil), limits)
    }
    return try RawData(parsing: json, limits: limits.ofWrittenText)
  }
}
