/// How values are written that a query has no standard form for: arrays, objects, booleans, dates, nulls,
/// spaces.
///
/// Used for queries and for form bodies, because servers differ.
public struct QueryStyle: Sendable {
  /// How an array is written. An empty one is not sent, except as ``Arrays/joined(_:)``: `a=`.
  public enum Arrays: Sendable, Hashable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case repeated
    /// `a[0]=1&a[1]=2`
    case indexed
    /// `a=1,2` with the given separator. Elements must be plain and must not contain the separator.
    case joined(String)

    /// `a=1,2`
    public static let commas = Self.joined(",")
  }

  /// How an object inside the parameters is written. An empty one is not sent.
  public enum Objects: Sendable, Hashable {
    /// `a[b]=1`
    case brackets
    /// `a.b=1`
    case dotted
  }

  /// How a boolean is written.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`
    case literal
    /// `1` and `0`
    case numeric
  }

  /// How a null is written.
  public enum Nulls: Sendable, Hashable {
    /// Neither the name nor a value is sent.
    case omitted
    /// `a=`
    case empty
    /// `a=null`
    case literal
  }

  /// How a space is written in a query. In a form body it is always `+`.
  public enum Spaces: Sendable, Hashable {
    /// `%20`
    case percent
    /// `+`
    case plus
  }

  /// How arrays are written; the default is ``Arrays/brackets``.
  public var arrays: Arrays
  /// How nested objects are written; the default is ``Objects/brackets``.
  public var objects: Objects
  /// How booleans are written; the default is ``Booleans/literal``.
  public var booleans: Booleans
  /// How dates are written; the default is ``DateStyle/iso8601``.
  public var dates: DateStyle
  /// How nulls are written; the default is ``Nulls/omitted``.
  public var nulls: Nulls
  /// How spaces are written; the default is ``Spaces/percent``.
  public var spaces: Spaces
  /// Whether names are sorted by their bytes at every depth. The default, false, keeps their order.
  public var sortsKeys: Bool

  /// Makes a style.
  public init(
    arrays: Arrays = .brackets, objects: Objects = .brackets, booleans: Booleans = .literal,
    dates: DateStyle = .iso8601, nulls: Nulls = .omitted, spaces: Spaces = .percent, sortsKeys: Bool = false
  ) {
    self.arrays = arrays
    self.objects = objects
    self.booleans = booleans
    self.dates = dates
    self.nulls = nulls
    self.spaces = spaces
    self.sortsKeys = sortsKeys
  }

  /// The text of a plain value; nil when it is not sent.
  package func text(of value: ParameterValue) throws(Unencodable) -> String? {
    switch value {
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .double(let number):
      guard number.isFinite else { throw Unencodable("it is not a finite number") }
      return number.description
    case .number(let text): return try text.asNumber
    case .bool(let flag):
      switch booleans {
      case .literal: return flag ? "true" : "false"
      case .numeric: return flag ? "1" : "0"
      }
    case .date(let date): return try dates.written(date)
    case .data(let bytes): return Base64.encode(bytes)
    case .null:
      switch nulls {
      case .omitted: return nil
      case .empty: return ""
      case .literal: return "null"
      }
    case .array, .object: throw Unencodable("a plain value is needed here, not an array or an object")
    }
  }

  /// The texts of plain values that are joined by a separator, which none of them may hold; without those that are not sent.
  func texts(of elements: [ParameterValue], joinedBy separator: String) throws(Unencodable) -> [String] {
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      try Unencodable.at(index) { () throws(Unencodable) in
        guard let text = try text(of: element) else { return }
        guard separator.isEmpty || !text.utf8.contains(separator.utf8) else {
          throw Unencodable("it holds the separator of its array")
        }
        texts.append(text)
      }
    }
    return texts
  }
}
