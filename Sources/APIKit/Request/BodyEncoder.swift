/// Writes parameters as the body of a request.
///
/// ``FormEncoder``, ``JSONBodyEncoder`` and ``PropertyListBodyEncoder`` exist. Write one when a backend has a
/// format of its own (MessagePack, a signed envelope) and name it with ``ParameterEncoding/body(_:)``; in a
/// test, a struct that returns fixed bytes will do.
///
/// Isolation: called on any thread, many at once; off the main actor unless ``runsInline`` is true.
public protocol BodyEncoder: Sendable {
  /// The value of the `Content-Type` field that goes with the bytes.
  var contentType: String { get }

  /// The body. Must give the same bytes for the same parameters, because signatures cover them.
  ///
  /// Throws ``APIError/Reason/unencodableParameter`` with the path of a value that it has no words for.
  func encode(_ parameters: Parameters) throws(APIError) -> [UInt8]

  /// Whether it may run on the main actor and on a transport's thread, for bodies of up to 64 KiB in memory: it takes
  /// microseconds and waits for nothing. The default is false: loads then leave these threads for it.
  var runsInline: Bool { get }
}

extension BodyEncoder {
  /// False.
  public var runsInline: Bool { false }
}

/// Writes parameters as `application/x-www-form-urlencoded`, by the rules of the WHATWG.
/// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-serializer>
public struct FormEncoder: BodyEncoder {
  /// How values without words of their own are written. Its ``QueryStyle/spaces`` has no say here.
  public var style: QueryStyle

  /// Makes an encoder.
  public init(_ style: QueryStyle = QueryStyle()) { self.style = style }

  /// True.
  public var runsInline: Bool { true }

  /// `application/x-www-form-urlencoded`
  public var contentType: String { "application/x-www-form-urlencoded" }

  /// The pairs; throws as ``QueryEncoder/encode(_:)`` does.
  public func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    do {
      return try QueryEncoder(style).bytes(parameters, escaping: .form)
    } catch {
      throw error.error(in: "a form")
    }
  }
}
