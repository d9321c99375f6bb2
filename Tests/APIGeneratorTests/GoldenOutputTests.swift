import XCTest

@testable import APIGenerator

/// The whole output of one small document, as its user reads it.
final class GoldenOutputTests: XCTestCase {
  private let document = """
    {
      "openapi": "3.1.0",
      "info": {"title": "Homes for sale", "version": "1"},
      "servers": [{"url": "https://homes.example/v1"}],
      "security": [{"token": []}],
      "paths": {
        "/homes/{id}": {
          "get": {
            "operationId": "getHome", "tags": ["Homes"], "summary": "One home.",
            "parameters": [
              {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
              {"name": "fields", "in": "query", "description": "Which members to send.",
               "schema": {"type": "array", "items": {"type": "string", "enum": ["price", "beds"]}}}
            ],
            "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Home"}}}}}
          },
          "delete": {
            "operationId": "deleteHome", "tags": ["Homes"], "deprecated": true,
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
            "responses": {"204": {"description": "gone"}}
          }
        },
        "/offers": {
          "post": {
            "operationId": "makeOffer", "tags": ["Offers"],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
              "type": "object", "required": ["home_id", "price"],
              "properties": {"home_id": {"type": "integer"}, "price": {"type": "number"}, "words": {"type": "string"}}}}}},
            "responses": {"201": {"content": {"application/json": {"schema": {"type": "object"}}}}}
          }
        }
      },
      "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        "schemas": {"Home": {"type": "object", "description": "A home that is for sale.", "required": ["id"],
          "properties": {"id": {"type": "integer"}, "price": {"type": ["number", "null"]}}}}
      }
    }
    """

  func testTheManagersOfATag() throws {
    XCTAssertEqual(
      try Documents.generate(document).files["Homes+Homes.swift"],
      """
      // Written by apikit-generate from openapi.json.
      // The next run replaces it: what is yours belongs in extensions, in files of your own.
      // swift-format-ignore-file

      import APIKit

      /// `DELETE /homes/{id}`
      @available(*, deprecated)
      final class DeleteHomeManager: BaseAPIManager, HomesManager {
        nonisolated struct Input: Encodable, Sendable {
          var id: Int
        }

        typealias Output = HomesNothing
        let service = Homes.shared, apiName = "homes/{id}"
        let method = HTTPMethod.delete
        let signIn = SignInRule.required
        let expectation = ResponseExpectation(format: .bytes)
      }

      /// `GET /homes/{id}`: One home.
      final class GetHomeManager: BaseAPIManager, HomesManager {
        nonisolated struct Input: Encodable, Sendable {
          var id: Int
          /// Which members to send.
          var fields: [GetHomeFieldsItem]?
        }

        typealias Output = Home
        let service = Homes.shared, apiName = "homes/{id}"
        let parameterEncoding = ParameterEncoding.query.queryStyle(QueryStyle(arrays: .repeated))
        let signIn = SignInRule.required
      }

      """)
  }

  func testTheModels() throws {
    XCTAssertEqual(
      try Documents.generate(document).files["Homes+Models.swift"],
      """
      // Written by apikit-generate from openapi.json.
      // The next run replaces it: what is yours belongs in extensions, in files of your own.
      // swift-format-ignore-file

      import APIKit

      /// `#/paths/~1homes~1{id}/get/parameters/1/schema/items` of the document.
      nonisolated struct GetHomeFieldsItem: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: String
        init(rawValue: String) { self.rawValue = rawValue }
        static let price = Self(rawValue: "price")
        static let beds = Self(rawValue: "beds")
      }

      /// A home that is for sale.
      nonisolated struct Home: RawDecodable, Sendable {
        var id: Int
        var price: Double?
      }

      nonisolated extension Home {
        init(_ raw: borrowing RawData) throws {
          try raw.require(.object)
          id = try raw["id"].require()
          price = try raw["price"].optional()
        }
      }

      """)
  }

  func testTheService() throws {
    let text = try XCTUnwrap(Documents.generate(document).files["Homes.swift"])
    assertContains(
      text,
      """
      /// Homes for sale
      nonisolated final class Homes: APIService {
        static let shared = Homes()

        let name = "Homes"
        let environments = ServiceEnvironments("https://homes.example/v1")
        let identity = ServiceIdentity(authenticator: Homes.authenticator)

        /// Sign in with `Credential(accessToken: token)`.
        static let authenticator: Authenticator = {
          Authenticator()
        }()
      }
      """)
    XCTAssertEqual(
      try Documents.generate(document).files["REPORT.md"],
      """
      # What was generated

      From `openapi.json`: 3 of 3 operations, 2 models. Written by apikit-generate.

      Nothing was left out.

      """)
  }

  func testRepetitionAndAnotherOrderOfKeysGiveTheSameBytes() throws {
    let first = try Documents.generate(document).files
    XCTAssertEqual(first, try Documents.generate(document).files)
    let root = try JSONReader.read(Array(document.utf8), file: "")
    func reversed(_ node: JSONNode, _ keepsOrder: Bool = false) -> String {
      switch node.value {
      case .null: return "null"
      case .bool(let flag): return "\(flag)"
      case .number(let text): return text
      case .string(let text): return "\"\(text)\""
      case .array(let elements): return "[" + elements.map { reversed($0) }.joined(separator: ",") + "]"
      case .object(let members):
        // The order of members of a schema is that of the members in Swift.
        let ordered = keepsOrder ? members : members.reversed()
        return "{"
          + ordered.map { "\"\($0.name)\":\(reversed($0.node, $0.name == "properties"))" }.joined(
            separator: ",") + "}"
      }
    }
    XCTAssertEqual(first, try Documents.generate(reversed(root)).files)
  }
}
