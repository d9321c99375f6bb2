/// Decodes `application/x-www-form-urlencoded` bodies: an object of strings.
///
/// A name that occurs several times becomes several members of that name: the last one is used, and
/// ``RawData/all(forKey:)`` returns all. The value of a name without `=` is empty. Numbers stay text; read
/// them with the lenient accessors. A percent sign that does not start an escape is kept, and bytes that
/// are not UTF-8 become U+FFFD.
/// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-parser>
public struct FormBodyDecoder: BodyDecoder {
  /// Makes a decoder.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Decodes a form.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try limits.check(bytes)
    var json: [UInt8] = [UInt8(ascii: "{")]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      RawWriter.append(name: PercentEncoding.decode(form: pair[..<equals]), to: &json)
      RawWriter.append(string: PercentEncoding.decode(form: pair[equals...].dropFirst()).utf8, to: &json)
    }
    json.append(UInt8(ascii: "}"))
    return try RawData(parsing: json, limits: limits.ofWrittenText)
  }
}
