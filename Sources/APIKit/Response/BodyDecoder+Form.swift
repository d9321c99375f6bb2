/// Reads `application/x-www-form-urlencoded` bodies: an object of strings.
///
/// A name that comes several times gives several members of that name: the last wins, and
/// ``RawData/all(forKey:)`` gives them all. A name without `=` has the empty text. Numbers stay text; read
/// them with the lenient forms. A percent sign that does not begin an escape stands for itself, and bytes
/// that are not UTF-8 become U+FFFD.
/// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-parser>
public struct FormBodyDecoder: BodyDecoder {
  /// A decoder; it has no settings.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Reads a form.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try RawLimit.check(bytes, limits)
    var json: [UInt8] = [UInt8(ascii: "{")]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      Self.append(pair[..<equals], to: &json)
      json.append(UInt8(ascii: ":"))
      Self.append(pair[equals...].dropFirst(), to: &json)
    }
    json.append(UInt8(ascii: "}"))
    return try RawData(parsing: json, limits: RawLimit.written(limits))
  }

  private static func append(_ text: ArraySlice<UInt8>, to json: inout [UInt8]) {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = RawText.hexDigit(text[index + 1]),
        let low = RawText.hexDigit(text[index + 2])
      {
        plain.append(high << 4 | low)
        index += 3
        continue
      }
      plain.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      index += 1
    }
    RawWriter.append(string: String(decoding: plain, as: UTF8.self).utf8, to: &json)
  }
}

/// Limits for decoders that write JSON text on their way.
enum RawLimit {
  /// Refuses a body that is longer than the limit.
  static func check(_ bytes: [UInt8], _ limits: RawData.Limits) throws(APIError) {
    guard bytes.count <= limits.maximumBytes else {
      throw APIError(
        .response, .bodyLimitExceeded,
        "the body has \(bytes.count) bytes, the limit is \(limits.maximumBytes)")
    }
  }

  /// The limits for the text written: it may be longer than the body was.
  static func written(_ limits: RawData.Limits) -> RawData.Limits {
    RawData.Limits(maximumDepth: limits.maximumDepth, maximumBytes: RawData.Limits.hardMaximumBytes)
  }
}
