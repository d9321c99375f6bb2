// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

public import Foundation

/// `#/components/schemas/Job` of the document.
public struct Job: Decodable, Sendable {
  public var eta: Double
  public var notes: [String: String]?

  /// Makes a value of its members.
  public init(
    eta: Double,
    notes: [String: String]? = nil
  ) {
    self.eta = eta
    self.notes = notes
  }
}

/// `#/components/schemas/Order` of the document.
public struct Order: Decodable, Sendable {
  public var id: Int
  public var title: String
  public var placedAt: Date?
  public var kind: OrderKind?
  public var parts: [Order]?
  public var whole: ShopBox<Order>?

  /// Makes a value of its members.
  public init(
    id: Int,
    title: String,
    placedAt: Date? = nil,
    kind: OrderKind? = nil,
    parts: [Order]? = nil,
    whole: ShopBox<Order>? = nil
  ) {
    self.id = id
    self.title = title
    self.placedAt = placedAt
    self.kind = kind
    self.parts = parts
    self.whole = whole
  }

  private enum CodingKeys: String, CodingKey {
    case id
    case title
    case placedAt = "placed_at"
    case kind
    case parts
    case whole
  }
}

/// `#/components/schemas/Order/properties/kind` of the document.
public struct OrderKind: RawRepresentable, Codable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let new = Self(rawValue: "new")
  public static let used = Self(rawValue: "used")
}

/// `#/components/schemas/Refusal` of the document.
public struct Refusal: Decodable, Sendable {
  public var reason: String

  /// Makes a value of its members.
  public init(
    reason: String
  ) {
    self.reason = reason
  }
}
