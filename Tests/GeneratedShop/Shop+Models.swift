// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

public import APIKit
public import Foundation

/// `#/components/schemas/Job` of the document.
public nonisolated struct Job: RawDecodable, Sendable {
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

nonisolated extension Job {
  public init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    eta = try raw["eta"].require()
    notes = try raw["notes"].decode()
  }
}

/// `#/components/schemas/Order` of the document.
public nonisolated struct Order: RawDecodable, Sendable {
  public var id: Int
  public var title: String
  public var placedAt: Date?
  public var kind: OrderKind?
  public var parts: [Order]?
  public var whole: ShopBox<Order>?
  public var tags: [String]?
  public var counts: [String: Int]?
  public var state: OrderState?

  /// Makes a value of its members.
  public init(
    id: Int,
    title: String,
    placedAt: Date? = nil,
    kind: OrderKind? = nil,
    parts: [Order]? = nil,
    whole: ShopBox<Order>? = nil,
    tags: [String]? = nil,
    counts: [String: Int]? = nil,
    state: OrderState? = nil
  ) {
    self.id = id
    self.title = title
    self.placedAt = placedAt
    self.kind = kind
    self.parts = parts
    self.whole = whole
    self.tags = tags
    self.counts = counts
    self.state = state
  }
}

nonisolated extension Order {
  public init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    id = try raw["id"].require()
    title = try raw["title"].require()
    placedAt = try raw["placed_at"].optional()
    kind = try raw["kind"].optional()
    parts = try [Order]?(raw["parts"])
    whole = try ShopBox<Order>?(raw["whole"])
    tags = try raw["tags"].decode()
    counts = try raw["counts"].decode()
    state = try OrderState?(raw["state"])
  }
}

/// `#/components/schemas/Order/properties/kind` of the document.
public nonisolated struct OrderKind: RawRepresentable, RawLeaf, Codable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let new = Self(rawValue: "new")
  public static let used = Self(rawValue: "used")
}

/// `#/components/schemas/Order/properties/state` of the document.
public nonisolated struct OrderState: RawDecodable, Sendable {
  /// The value as it is sent.
  public var value: JSONValue

  /// Makes one of a free value.
  public init(_ value: JSONValue) { self.value = value }
  /// The value as one of its types; throws where it is none.
  public func asJob() throws -> Job { try value.decode(as: Job.self) }
}

/// `#/components/schemas/Refusal` of the document.
public nonisolated struct Refusal: RawDecodable, Sendable {
  public var reason: String

  /// Makes a value of its members.
  public init(
    reason: String
  ) {
    self.reason = reason
  }
}

nonisolated extension Refusal {
  public init(_ raw: borrowing RawData) throws {
    try raw.require(.object)
    reason = try raw["reason"].require()
  }
}
