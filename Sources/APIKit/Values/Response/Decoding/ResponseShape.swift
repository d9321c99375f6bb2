/// The key paths that a response must have, each with the accepted kinds.
///
/// Written as a literal: `["data.items": .array, "data.total": .number]`. All paths that do not match are
/// reported together: see ``differences(in:)``.
public struct ResponseShape: Sendable, ExpressibleByDictionaryLiteral {
  /// The kinds that are accepted at a path.
  public struct Kinds: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An object.
    public static let object = Self(rawValue: 1)
    /// An array.
    public static let array = Self(rawValue: 2)
    /// A string.
    public static let string = Self(rawValue: 4)
    /// A number.
    public static let number = Self(rawValue: 8)
    /// A boolean.
    public static let bool = Self(rawValue: 16)
    /// Null.
    public static let null = Self(rawValue: 32)
    /// The path may be absent.
    public static let absent = Self(rawValue: 64)
    /// Any kind, but not absent.
    public static let any: Self = [.object, .array, .string, .number, .bool, .null]

    private static let all: [(kind: RawData.Kind, kinds: Kinds, name: String)] = [
      (.object, .object, "object"), (.array, .array, "array"), (.string, .string, "string"),
      (.number, .number, "number"), (.bool, .bool, "boolean"), (.null, .null, "null"),
      (.missing, .absent, "absent"),
    ]

    init(_ kind: RawData.Kind) { self = Self.all.first { $0.kind == kind }?.kinds ?? .absent }

    /// The names, for errors.
    var names: String { Self.all.filter { contains($0.kinds) }.map(\.name).joined(separator: " or ") }
  }

  /// The paths with their kinds, in order.
  public let paths: [(path: RawPath, kinds: Kinds)]

  /// Makes a shape without requirements.
  public init() { paths = [] }

  /// Makes a shape of paths like `data.items[0].price`.
  public init(_ paths: [(path: RawPath, kinds: Kinds)]) { self.paths = paths }

  /// Makes a shape of paths like `data.items[0].price`.
  public init(dictionaryLiteral elements: (RawPath, Kinds)...) {
    paths = elements.map { (path: $0.0, kinds: $0.1) }
  }

  /// One line for each path that does not match: `data.total: expected number, found string`.
  public func differences(in raw: RawData) -> [String] {
    paths.compactMap { path, kinds in
      let found = Kinds(raw.at(path).kind)
      return kinds.contains(found) ? nil : "\(path): expected \(kinds.names), found \(found.names)"
    }
  }
}
