/// A path into a document, parsed once and used many times.
///
/// ```swift
/// let price: RawPath = "offer.prices[0].amount"
/// rows.map { $0.at(price).double }
/// ```
/// Names are separated by dots, positions are in brackets, and a name with special characters is in
/// brackets and quotes: `a.b[0]["odd.name"]`. Every text is a path: a bracket that is not well formed is
/// part of the name that contains it.
public struct RawPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// One step of a path.
  public enum Step: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The member of an object.
    case key(String)
    /// The element of an array, from 0.
    case index(Int)

    /// Whether both are the same step; names are compared by their UTF-8.
    public static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.key(let one), .key(let other)): one.equalsExactly(other)
      case (.index(let one), .index(let other)): one == other
      default: false
      }
    }

    /// Hashes the step.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .key(let key): hasher.combine(ExactText(key))
      case .index(let index): hasher.combine(index)
      }
    }

    /// A member.
    public init(stringLiteral key: String) { self = .key(key) }
    /// An element.
    public init(integerLiteral index: Int) { self = .index(index) }
  }

  /// The steps, starting at the cursor that the path is applied to.
  public let steps: [Step]

  /// Makes a path from steps.
  public init(steps: [Step]) { self.steps = steps }

  /// Parses a path. The empty text is the path to the cursor itself.
  public init(_ text: String) { steps = Self.parse(text) }

  /// Parses a path.
  public init(stringLiteral text: String) { self.init(text) }

  /// The text of the path, which ``init(_:)`` parses.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where Self.isPlain(key): text += text.isEmpty ? key : ".\(key)"
      case .key(let key): text += "[\(Self.quoted(key))]"
      }
    }
    return text
  }

  /// Whether a name needs no quotes in a path.
  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && !".[]\"\\".utf8.contains($0) }
  }

  static func quoted(_ text: String) -> String {
    var quoted: [UInt8] = []
    RawWriter.append(string: text.utf8, to: &quoted)
    return String(decoding: quoted, as: UTF8.self)
  }
}

// MARK: Reading a path's text

extension RawPath {
  private static func parse(_ text: String) -> [Step] {
    var steps: [Step] = []
    var name: [UInt8] = []
    var needsName = true
    let bytes = Array(text.utf8)
    var index = 0
    guard !bytes.isEmpty else { return [] }
    func endName() {
      if needsName || !name.isEmpty { steps.append(.key(String(decoding: name, as: UTF8.self))) }
      name = []
    }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: ".") {
        endName()
        needsName = true
      } else if bytes[index] == UInt8(ascii: "["), let (step, end) = bracket(bytes, at: index) {
        if !name.isEmpty { endName() }
        steps.append(step)
        needsName = false
        index = end
        continue
      } else {
        name.append(bytes[index])
        needsName = true
      }
      index += 1
    }
    endName()
    return steps
  }

  /// The step of a well-formed bracket, and the index after it.
  private static func bracket(_ bytes: [UInt8], at start: Int) -> (Step, Int)? {
    guard start + 1 < bytes.count else { return nil }
    if bytes[start + 1] == UInt8(ascii: "\"") {
      guard let end = RawText.closingQuote(in: bytes, from: start + 1),
        bytes[(end + 1)...].first == UInt8(ascii: "]"),
        let key = try? RawData(parsing: Array(bytes[(start + 1)...end])).string
      else { return nil }
      return (.key(key), end + 2)
    }
    guard let close = bytes[start...].firstIndex(of: UInt8(ascii: "]")),
      let position = Int(String(decoding: bytes[(start + 1)..<close], as: UTF8.self)), position >= 0
    else { return nil }
    return (.index(position), close + 1)
  }
}
