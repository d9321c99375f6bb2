public import APIKit

/// Decodes XML, so that it is read as `RawData`.
///
/// The document is an object with the root as its member. An element is an object: its attributes are members under
/// `@name`, its children members under their names, its own text is the member `#text`. An element that has neither
/// attributes nor children is a string. Elements of one name are an array:
///
/// ```swift
/// // <feed xmlns="http://www.w3.org/2005/Atom"><title lang="en">Homes</title><entry><id>1</id></entry></feed>
/// raw.feed.title.string                        // "Homes", with its attribute or without
/// raw.feed.title["@lang"].string               // "en"
/// for entry in raw.feed.entry.elements { … }   // one or many
/// raw.feed.entry[0].id.int                     // 1: the text of elements is read as numbers and booleans, too
/// ```
/// In a document that was XML, `elements` and `[0]` read an element that occurs once as an array of one; name it in
/// ``arrays`` if its `kind` matters too. The order of children of different names, and of text between them, is not
/// kept. White space between tags is dropped.
///
/// Names are as in the document, with their prefixes. Since a server may choose other prefixes, ``prefixes`` can
/// state the prefix of each namespace.
///
/// Document types are refused, with all that they can declare: entities that grow without bound, files to read. The
/// charset is that of the byte-order mark, the content type or the declaration, in this order.
/// - SeeAlso: <https://www.w3.org/TR/xml/>
public struct XMLBodyDecoder: BodyDecoder {
  /// The names of elements that become an array even if there is only one. None by default.
  public var arrays: Set<String>
  /// The prefixes that names have, by their namespaces, whatever the document's own prefixes are. An empty one leaves
  /// the prefix out; elements that have one name then are a list, and an attribute beside one of that name keeps its prefix. A
  /// prefix of the document that is one of these, and stands there for another namespace, gets an underscore before it. By
  /// default names are as in the document.
  public var prefixes: [String: String]
  /// The most attributes of one element, beyond which to throw. The default is 256.
  public var maximumAttributes = 256
  /// The longest name in bytes, beyond which to throw. The default is 1,024.
  public var maximumNameBytes = 1024

  /// Makes a decoder.
  ///
  /// - Parameters:
  ///   - arrays: The names of elements that become an array even if there is only one.
  ///   - prefixes: The prefixes that names have, by their namespaces.
  public init(arrays: Set<String> = [], prefixes: [String: String] = [:]) {
    self.arrays = arrays
    self.prefixes = prefixes
  }

  /// True.
  public var runsInline: Bool { true }

  /// Decodes XML without a content type.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try decode(bytes, contentType: nil, limits: limits)
  }

  /// Decodes XML.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - contentType: The value of its `Content-Type` field, which may name its charset; nil when there is none.
  ///   - limits: The depth and the size beyond which to throw.
  /// - Returns: The document.
  /// - Throws: `APIError.Reason.malformedBody`, whose detail names line, column and byte offset, or
  ///   `APIError.Reason.bodyLimitExceeded`.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits
  ) throws(APIError) -> RawData {
    try limits.check(bytes)
    let json = try RawXMLReader.json(
      try Self.text(of: bytes, contentType),
      RawXMLReader.Options(
        maximumDepth: limits.depth, maximumAttributes: maximumAttributes, maximumNameBytes: maximumNameBytes,
        prefixes: prefixes), arrays: arrays)
    return try RawData(xml: json)
  }

  /// A document in UTF-8.
  static func text(of bytes: [UInt8], _ contentType: String?) throws(APIError) -> [UInt8] {
    isPlain(bytes, contentType) ? bytes : try TextBodyDecoder.utf8(bytes, contentType, isStrict: true)
  }

  /// Whether it is UTF-8 for sure, as nearly all XML is.
  private static func isPlain(_ bytes: [UInt8], _ contentType: String?) -> Bool {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return true }
    guard let first = bytes.first, first != 0, first < 0x80, bytes.count < 2 || bytes[1] != 0 else {
      return false
    }
    let label = Charset.label(in: contentType) ?? Charset.declared(in: bytes) ?? "utf-8"
    return Charset(label: label) == .utf8
  }
}
