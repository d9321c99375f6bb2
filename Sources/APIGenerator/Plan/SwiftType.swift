/// The type of a value in the generated code.
indirect enum SwiftType: Hashable {
  case string, int, int64, uint64, double, bool, date, day, bytes, json
  case model(Int)
  /// A model on a cycle, which is held on the heap.
  case boxed(Int)
  case array(SwiftType)
  case dictionary(SwiftType)
  case optional(SwiftType)

  /// The type of a whole number of a format.
  init(integer format: String?) {
    switch format {
    case "int64": self = .int64
    // Half of its values are none of `Int`.
    case "uint64": self = .uint64
    default: self = .int
    }
  }

  /// The models in the type.
  var model: Int? {
    switch self {
    case .model(let id), .boxed(let id): id
    case .array(let type), .dictionary(let type), .optional(let type): type.model
    default: nil
    }
  }

  /// Whether the type needs Foundation.
  var isOfFoundation: Bool {
    switch self {
    case .date, .day, .bytes: true
    case .array(let type), .dictionary(let type), .optional(let type): type.isOfFoundation
    default: false
    }
  }

  /// Whether the type needs the framework.
  var isFree: Bool {
    switch self {
    case .json: true
    case .array(let type), .dictionary(let type), .optional(let type): type.isFree
    default: false
    }
  }

  /// Whether a day is in the type, which is not written as the `Date` that it is.
  var hasDay: Bool {
    switch self {
    case .day: true
    case .array(let type), .dictionary(let type), .optional(let type): type.hasDay
    default: false
    }
  }

  var isArray: Bool { if case .array = self { true } else { false } }

  var isScalar: Bool {
    switch self {
    case .string, .int, .int64, .uint64, .double, .bool, .date, .day: true
    default: false
    }
  }
}

/// For whom a model is: what a server sends, what it is sent, and what it is sent to change a part.
enum Direction: String, CaseIterable {
  case output, input, patch
}

/// A type that is generated.
struct Model {
  /// What a model is written as.
  enum Kind {
    case structure([Member])
    /// Known values of a text or a whole number; others are kept as they come.
    case enumeration(SwiftType, [(name: String, literal: String)])
    /// One of several types, kept as a free value.
    case union([SwiftType])
  }

  let node: JSONNode
  let pointer: String
  let direction: Direction
  var kind = Kind.union([])
  var name = ""
  var isSent = false
  var isReceived = false

  /// What identifies it in the manifest.
  var key: String {
    directed(node.parts.isEmpty ? node.identity : node.parts.map(\.identity).joined(separator: " "))
  }
  /// The same by its position in the document, as a user may have listed it.
  var listedKey: String { node.parts.isEmpty ? directed(pointer) : key }

  private func directed(_ place: String) -> String {
    direction == .output ? place : "\(place) \(direction.rawValue)"
  }
}

/// A member of a structure.
struct Member {
  /// The name in the document, which is sent.
  var key: String
  /// The name in Swift.
  var name: String
  var type: SwiftType
  var isRequired: Bool
  var isNullable: Bool
  /// Whether it may be left out and may be null, in a change.
  var isChange = false
  /// How an array is joined to one text; nil where it is sent as an array.
  var separator: String?
  /// Whether the elements of an array are written as `a[0]=1`.
  var isIndexed = false
  var text: String
  var isDeprecated: Bool

  var isOptional: Bool { !isChange && (!isRequired || isNullable) }
  /// Whether its encoding has to be written out, because the one that the compiler makes differs.
  var needsEncoding: Bool {
    separator != nil || isRequired && isNullable && !isChange || type.hasDay
  }
}

/// What is left out or differs, and what to do about it.
struct Note: Comparable {
  var pointer: String
  var reason: String
  var advice: String
  /// Whether a whole operation is missing.
  var isSkip = false

  static func < (left: Self, right: Self) -> Bool {
    (left.pointer, left.reason) < (right.pointer, right.reason)
  }
}
