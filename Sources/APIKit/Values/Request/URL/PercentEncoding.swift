/// The bytes of a text that are kept in a part of a URL, and how a space is written; all other
/// bytes are percent-encoded.
///
/// Works on the UTF-8 bytes of the text, so every text can be encoded, including control characters.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc3986#section-2>
public struct PercentEncoding: Sendable, Hashable {
  private let kept: ASCIISet
  private let spaceIsPlus: Bool

  private init(keeping kept: ASCIISet, spaceIsPlus: Bool = false) {
    self.kept = kept
    self.spaceIsPlus = spaceIsPlus
  }

  /// Keeps only the unreserved characters of RFC 3986: for a name or a value in a query, and for one
  /// segment of a path.
  public static let component = Self(keeping: ASCIISet(alphanumericsAnd: "-._~"))

  /// The same as ``component``, with a space written as `+`, which many servers expect in queries.
  public static let componentWithPlus = Self(keeping: ASCIISet(alphanumericsAnd: "-._~"), spaceIsPlus: true)

  /// The rules of `application/x-www-form-urlencoded`: letters, digits and `*-._` are kept, a space is `+`.
  /// - SeeAlso: <https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set>
  public static let form = Self(keeping: ASCIISet(alphanumericsAnd: "*-._"), spaceIsPlus: true)

  /// The same as ``form``, with a space written as `%20`, for signatures (RFC 9421, 2.2.8).
  package static let form20 = Self(keeping: ASCIISet(alphanumericsAnd: "*-._"))

  /// Keeps everything that is allowed in a path, including slashes (RFC 3986, 3.3).
  static let path = Self(keeping: ASCIISet(alphanumericsAnd: "-._~!$&'()*+,;=:@/"))

  /// Keeps everything that servers send in a path with its query, including brackets.
  static let target = Self(keeping: ASCIISet(visibleBut: "\"#%<>\\^`{|}"))

  /// Keeps every visible character of ASCII: for a text of which parts may be encoded already.
  package static let visible = Self(keeping: ASCIISet(visibleBut: ""))

  /// The text in its encoded form.
  public func encode(_ text: String) -> String {
    if text.utf8.allSatisfy(keeps) { return text }
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count + 16)
    append(text, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends the encoded form of the text.
  public func append(_ text: String, to output: inout [UInt8]) {
    // Nearly every text stays as it is.
    let isKept = text.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy(keeps) else { return false }
      output.append(contentsOf: bytes)
      return true
    }
    if isKept == true { return }
    for byte in text.utf8 { append(byte, to: &output) }
  }

  @inline(__always)
  func append(_ byte: UInt8, to output: inout [UInt8]) {
    if keeps(byte) {
      output.append(byte)
    } else if spaceIsPlus, byte == 0x20 {
      output.append(UInt8(ascii: "+"))
    } else {
      output.append(UInt8(ascii: "%"))
      output.append(Self.digit(byte >> 4))
      output.append(Self.digit(byte & 0x0F))
    }
  }

  /// Whether the byte is kept.
  @inline(__always)
  package func keeps(_ byte: UInt8) -> Bool { kept.contains(byte) }

  /// Whether the text begins with a percent sign and two hexadecimal digits.
  static func isTriplet(_ text: some Sequence<UInt8>) -> Bool {
    var bytes = text.makeIterator()
    return bytes.next() == UInt8(ascii: "%") && bytes.next().flatMap(Hex.value) != nil
      && bytes.next().flatMap(Hex.value) != nil
  }

  // RFC 3986 asks for upper-case digits (2.1).
  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// The decoded text; nil when a `%` is not followed by two digits, or the bytes are not UTF-8.
  ///
  /// `plusIsSpace` decodes `+` as a space, as in forms; the default is false.
  public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    if !text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
      return String(text)
    }
    return bytes(of: text.utf8, plusIsSpace: plusIsSpace).flatMap {
      String(wellFormed: $0, as: UTF8.self)
    }
  }

  /// A name or a value of `application/x-www-form-urlencoded`: `+` is a space, a percent sign that does not start an escape is
  /// kept, and bytes that are not UTF-8 become U+FFFD.
  /// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-parser>
  package static func decode(form text: some Collection<UInt8>) -> String {
    String(decoding: bytes(of: text, plusIsSpace: true, isStrict: false) ?? [], as: UTF8.self)
  }

  /// The bytes of percent-encoded text; nil when a percent sign is not followed by two hexadecimal digits.
  package static func bytes(
    of text: some Collection<UInt8>, plusIsSpace: Bool = false, isStrict: Bool = true
  ) -> [UInt8]? {
    func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
      var output: [UInt8] = []
      output.reserveCapacity(text.count)
      var index = 0
      while index < text.count {
        let byte = text[index]
        index += 1
        if byte == UInt8(ascii: "%") {
          if index + 1 < text.count, let high = Hex.value(of: text[index]),
            let low = Hex.value(of: text[index + 1])
          {
            output.append(high << 4 | low)
            index += 2
            continue
          }
          if isStrict { return nil }
        }
        output.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
      return output
    }
    return text.withContiguousStorageIfAvailable(bytes) ?? Array(text).withUnsafeBufferPointer(bytes)
  }

  /// The decoded pairs of a query or a form; the value of a name without `=` is empty. Nil where
  /// ``decode(_:plusIsSpace:)`` is nil.
  package static func pairs(of query: some StringProtocol) -> [(name: String, value: String)]? {
    var pairs: [(String, String)] = []
    for pair in query.split(separator: "&") {
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      guard let name = decode(pair[..<equals], plusIsSpace: true),
        let value = decode(pair[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }
}
