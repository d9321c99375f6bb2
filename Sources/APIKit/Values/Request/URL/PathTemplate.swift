/// An API name with placeholders for parameters: `rent/{id}/photos`.
///
/// A value replaces its placeholder as one segment, percent-encoded, so a value cannot change the structure
/// of the path.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The template as written.
  public let description: String

  /// Makes a template. It is parsed when it is filled.
  public init(_ template: String) { description = template }

  /// Makes a template.
  public init(stringLiteral value: String) { description = value }

  /// The path with every placeholder replaced, and the names used, so that they are not sent again.
  ///
  /// The text between the placeholders is as written; ``HTTPURL/appending(path:)`` encodes what a path must not
  /// contain. Throws ``APIError/Reason/invalidURL`` naming the placeholder when its parameter is missing, null,
  /// empty, an array or an object, or would be `.` or `..`; and when a brace has no counterpart.
  public func fill(_ parameters: Parameters) throws(APIError) -> (path: String, used: [String]) {
    func isBrace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }
    var rest = description.utf8[...]
    var path = ""
    var used: [String] = []
    while let open = rest.firstIndex(where: isBrace) {
      let inner = rest[open...].dropFirst()
      guard rest[open] == UInt8(ascii: "{"), let close = inner.firstIndex(where: isBrace),
        inner[close] == UInt8(ascii: "}")
      else {
        throw Self.invalid("the template \(description.debugDescription) has a brace without a partner")
      }
      let name = String(Substring(inner[..<close]))
      path += Substring(rest[..<open])
      path += try segment(name, parameters[name])
      used.append(name)
      rest = rest[close...].dropFirst()
    }
    return (path + Substring(rest), used)
  }

  private func segment(_ name: String, _ value: ParameterValue?) throws(APIError) -> String {
    let place = "the place {\(name)} of \(description.debugDescription)"
    guard let value, value != .null else { throw Self.invalid("\(place) has no parameter") }
    var text: String?
    do {
      text = try QueryStyle().text(of: value)
    } catch {
      throw Self.invalid("\(place) cannot be filled: \(error.why)")
    }
    guard let text, !text.isEmpty else { throw Self.invalid("\(place) has an empty parameter") }
    guard text != ".", text != ".." else { throw Self.invalid("\(place) would lead to another path") }
    return PercentEncoding.component.encode(text)
  }

  private static func invalid(_ detail: String) -> APIError { APIError(.assembly, .invalidURL, detail) }
}
