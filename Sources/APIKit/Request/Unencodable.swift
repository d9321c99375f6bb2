/// Why a value inside parameters cannot be written, and where it stands.
///
/// Thrown where the value is, and told the names on the way out, so that encoding keeps no path.
struct Unencodable: Error {
  /// The path from the top: `filter.prices[2]`.
  private(set) var path = ""
  /// What is wrong with the value, never the value.
  let why: String

  init(_ why: String) { self.why = why }

  /// The same inside a named value.
  func under(_ name: String) -> Unencodable {
    var outer = self
    outer.path = path.isEmpty || path.hasPrefix("[") ? name + path : name + "." + path
    return outer
  }

  /// The same inside an element.
  func at(_ index: Int) -> Unencodable {
    var outer = self
    outer.path = path.isEmpty || path.hasPrefix("[") ? "[\(index)]" + path : "[\(index)]." + path
    return outer
  }

  /// Writes what stands under a name; the name is added to the path of what cannot be written.
  static func under(_ name: String, _ write: () throws(Unencodable) -> Void) throws(Unencodable) {
    do { try write() } catch { throw error.under(name) }
  }

  /// Writes an element; its place is added to the path of what cannot be written.
  static func at(_ index: Int, _ write: () throws(Unencodable) -> Void) throws(Unencodable) {
    do { try write() } catch { throw error.at(index) }
  }

  /// The error a caller sees.
  func error(in format: String) -> APIError {
    APIError(
      .assembly, .unencodableParameter,
      "the parameter \(path.debugDescription) cannot be written as \(format): \(why)")
  }
}
