// Documents written in code: `let raw: RawData = ["items": [["name": "Lin", "price":
// 7]]]`. Each literal is a document; the outermost one is parsed from the text of those inside it.
extension RawData: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral text: String) {
    var json: [UInt8] = []
    RawWriter.append(string: text.utf8, to: &json)
    self.init(written: json)
  }

  /// An integer.
  public init(integerLiteral value: Int) { self.init(written: Array("\(value)".utf8)) }

  /// A number. A literal beyond the range of a double is null.
  public init(floatLiteral value: Double) {
    self.init(written: Array((value.isFinite ? "\(value)" : "null").utf8))
  }

  /// True or false.
  public init(booleanLiteral value: Bool) { self.init(written: Array("\(value)".utf8)) }

  /// The value null, for documents written in code.
  ///
  /// It is not a nil literal: in `condition ? raw : nil`, nil would then be null instead of no value.
  public static var null: RawData { RawData(written: Array("null".utf8)) }

  /// An array.
  public init(arrayLiteral elements: RawData...) {
    self.init(
      written: [UInt8(ascii: "[")] + elements.map { $0.jsonBytes() }.joined(separator: ",".utf8) + "]".utf8)
  }

  /// An object with its members in order.
  public init(dictionaryLiteral members: (String, RawData)...) {
    var json: [UInt8] = [UInt8(ascii: "{")]
    for (key, value) in members {
      RawWriter.append(name: key, to: &json)
      json += value.jsonBytes()
    }
    json.append(UInt8(ascii: "}"))
    self.init(written: json)
  }

  /// Parses text written by this file. It is JSON, and as deep as the literal: a program nests none by the thousand.
  private init(written json: [UInt8]) {
    do {
      try self.init(parsing: json, limits: Limits(maximumDepth: Limits.hardMaximumDepth))
    } catch {
      fatalError("a literal that is no document: \(error.detail)")
    }
  }
}
