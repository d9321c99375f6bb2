// Documents written in code, for tests and stubs: `let raw: RawData = ["items": [["name": "Lin", "price": 7]]]`.
// Each literal is a document of its own; the outermost one is parsed from the text of those inside it.
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

  /// A number. A literal that no double holds is null.
  public init(floatLiteral value: Double) {
    self.init(written: Array((value.isFinite ? "\(value)" : "null").utf8))
  }

  /// True or false.
  public init(booleanLiteral value: Bool) { self.init(written: Array("\(value)".utf8)) }

  /// The value null, for documents written in code.
  ///
  /// Not a nil literal: in `condition ? raw : nil` that would silently be null instead of no value.
  public static var null: RawData { RawData(written: Array("null".utf8)) }

  /// An array.
  public init(arrayLiteral elements: RawData...) {
    self.init(
      written: [UInt8(ascii: "[")] + elements.map { $0.jsonBytes() }.joined(separator: ",".utf8) + "]".utf8)
  }

  /// An object with its members in the order written.
  public init(dictionaryLiteral members: (String, RawData)...) {
    var json: [UInt8] = [UInt8(ascii: "{")]
    for (key, value) in members {
      RawWriter.append(name: key, to: &json)
      json += value.jsonBytes()
    }
    json.append(UInt8(ascii: "}"))
    self.init(written: json)
  }

  /// Parses text that this file has just written: it is JSON, and as deep as somebody's literal.
  private init(written json: [UInt8]) {
    do {
      try self.init(parsing: json, limits: Limits(maximumDepth: .max))
    } catch {
      fatalError("a literal that is not JSON: \(error.detail)")
    }
  }
}
