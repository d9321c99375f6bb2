// Written by apikit-generate from openapi.json.
// The next run replaces it: what is yours belongs in extensions, in files of your own.
// swift-format-ignore-file

public import APIKit
public import APIKitPaging
public import APIKitTransfers
public import Foundation

/// `GET /orders`: All orders, a page at a time.
///
/// A subclass adopts `PageableAPIManager` and `ShopManager`.
open class BaseListOrdersManager: BaseAPIManager {
  public nonisolated struct Input: Encodable, Sendable {
    public var perPage: Int?

    /// Makes a value of its members.
    public init(
      perPage: Int? = nil
    ) {
      self.perPage = perPage
    }

    private enum CodingKeys: String, CodingKey {
      case perPage = "per_page"
    }
  }

  public typealias Output = [Order]
  public let service = Shop.shared
  public let apiName = "orders"
  public let signIn = SignInRule.exempt
  public let paging = Paging(.link(size: "per_page"), items: "")
}

/// `POST /orders`: Orders something.
///
/// A subclass adopts `ShopManager`.
open class BasePlaceOrderManager: BaseAPIManager {
  public nonisolated struct Input: Encodable, Sendable {
    public var title: String
    public var count: Int?
    public var by: Date?
    public var days: [Date]?

    /// Makes a value of its members.
    public init(
      title: String,
      count: Int? = nil,
      by: Date? = nil,
      days: [Date]? = nil
    ) {
      self.title = title
      self.count = count
      self.by = by
      self.days = days
    }

    private enum CodingKeys: String, CodingKey {
      case title
      case count
      case by
      case days
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(title, forKey: .title)
      try container.encodeIfPresent(count, forKey: .count)
      try container.encodeIfPresent(by.map { try DateStyle.iso8601Day.text(of: $0) }, forKey: .by)
      try container.encodeIfPresent(days.map { try $0.map { day in try DateStyle.iso8601Day.text(of: day) } }, forKey: .days)
    }
  }

  /// The response, by its status.
  public nonisolated enum Output: ShopStatusOutput {
    case ok(Order)
    case accepted(Job)
    case noContent
    case partialContent([UInt8])

    public init(_ response: APIResponse) throws(APIError) {
      switch response.status {
      case 200: self = .ok(try response.decode())
      case 202: self = .accepted(try response.decode())
      case 204: self = .noContent
      case 206: self = .partialContent(response.bytes)
      default:
        throw APIError(.reform, .unacceptableStatus, "no output has the status \(response.status)")
      }
    }
  }

  public let service = Shop.shared
  public let apiName = "orders"
  public let method = HTTPMethod.post
  public let parameterEncoding = ParameterEncoding.json
}

/// `DELETE /orders/{id}`
///
/// A subclass adopts `ShopManager`.
open class BaseCancelOrderManager: BaseAPIManager {
  public nonisolated struct Input: Encodable, Sendable {
    public var id: Int

    /// Makes a value of its members.
    public init(
      id: Int
    ) {
      self.id = id
    }
  }

  public typealias Output = ShopNothing
  public let service = Shop.shared
  public let apiName = "orders/{id}"
  public let method = HTTPMethod.delete
  public let signIn = SignInRule.exempt
  public let expectation = ResponseExpectation(format: .bytes)
}

/// `PUT /orders/{id}/picture`
///
/// It sends `image/png`: `response(uploading: body, Parameters(encoding: input))`.
///
/// A subclass adopts `UploadManager`.
open class BaseSendPictureManager: BaseUploadManager {
  public nonisolated struct Input: Encodable, Sendable {
    public var id: Int
    public var sizes: [Int]?

    /// Makes a value of its members.
    public init(
      id: Int,
      sizes: [Int]? = nil
    ) {
      self.id = id
      self.sizes = sizes
    }

    private enum CodingKeys: String, CodingKey {
      case id
      case sizes
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encodeIfPresent(sizes.map { $0.map { item in String(item) }.joined(separator: ",") }, forKey: .sizes)
    }
  }

  public typealias Output = ShopNothing
  public let service = Shop.shared
  public let apiName = "orders/{id}/picture"
  public let headers: HTTPHeaders = ["Content-Type": "image/png"]
  public let signIn = SignInRule.exempt
  public let expectation = ResponseExpectation(format: .bytes)
}
