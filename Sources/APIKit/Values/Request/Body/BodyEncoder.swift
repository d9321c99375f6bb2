/// Writes parameters as the body of a request.
///
/// The framework has ``FormEncoder`` and ``JSONBodyEncoder``, and those of XML and property lists in the product `APIKitXML`.
/// Write one for another format of a backend (MessagePack, a signed envelope) and set it with
/// ``ParameterEncoding/body(_:)``; in a test, a struct that returns fixed bytes is enough.
///
/// Isolation: called on any thread and concurrently; off the main actor unless ``runsInline`` is true.
public protocol BodyEncoder: Sendable {
  /// The value of the `Content-Type` field.
  var contentType: String { get }

  /// The body. It must be the same for the same parameters, because signatures cover it.
  ///
  /// Throws ``APIError/Reason/unencodableParameter`` with the path of a value that the format cannot
  /// express.
  func encode(_ parameters: Parameters) throws(APIError) -> [UInt8]

  /// The body that consists of one value (``ParameterEncoding/body(at:)``). The default writes an object like parameters,
  /// and refuses any other value with ``APIError/Reason/unencodableParameter``, because some formats need names at the top.
  func encode(value: ParameterValue) throws(APIError) -> [UInt8]

  /// Whether the encoder may run on the main actor or a transport's thread, for small parameters. It must
  /// then take only microseconds and never wait. The default, false, runs it in a task.
  var runsInline: Bool { get }
}

extension BodyEncoder {
  /// False.
  public var runsInline: Bool { false }

  /// Writes an object like parameters, and refuses any other value.
  public func encode(value: ParameterValue) throws(APIError) -> [UInt8] {
    guard case .object(let parameters) = value else {
      throw Unencodable("\(type(of: self)) writes objects only").error(in: "a body of \(contentType)")
    }
    return try encode(parameters)
  }
}

/// Writes parameters as `application/x-www-form-urlencoded`, by the rules of the WHATWG.
/// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-serializer>
public struct FormEncoder: BodyEncoder {
  /// How arrays, objects, booleans, dates and nulls are written. ``QueryStyle/spaces`` has no effect here:
  /// a space is always `+`.
  public var style: QueryStyle

  /// Makes an encoder.
  public init(_ style: QueryStyle = QueryStyle()) { self.style = style }

  /// True.
  public var runsInline: Bool { true }

  /// `application/x-www-form-urlencoded`
  public var contentType: String { "application/x-www-form-urlencoded" }

  /// The encoded pairs. Throws what ``QueryEncoder/encode(_:)`` throws.
  public func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    do {
      return try QueryEncoder(style).bytes(parameters, escaping: .form, escapesSeparators: true)
    } catch {
      throw error.error(in: "a form")
    }
  }
}
