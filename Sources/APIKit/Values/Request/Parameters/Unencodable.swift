/// Why a value inside parameters cannot be written, and where it is.
///
/// Thrown at the value. Each enclosing level adds its name to the path, so that encoding need not keep one.
package struct Unencodable: Error {
  /// The path from the top: `filter.prices[2]`.
  private(set) var path = ""
  /// What is wrong with the value, without the value itself.
  let why: String

  package init(_ why: String) { self.why = why }

  /// The same error, one level up inside a named value.
  func under(_ name: String) -> Unencodable {
    var outer = self
    outer.path = path.isEmpty || path.hasPrefix("[") ? name + path : name + "." + path
    return outer
  }

  /// The same error, one level up inside an array element.
  func at(_ index: Int) -> Unencodable {
    var outer = self
    outer.path = path.isEmpty || path.hasPrefix("[") ? "[\(index)]" + path : "[\(index)]." + path
    return outer
  }

  /// Writes the value of a name, and adds the name to the path of an error.
  package static func under(_ name: String, _ write: () throws(Unencodable) -> Void) throws(Unencodable) {
    do { try write() } catch { throw error.under(name) }
  }

  /// Writes an element, and adds its index to the path of an error.
  package static func at(_ index: Int, _ write: () throws(Unencodable) -> Void) throws(Unencodable) {
    do { try write() } catch { throw error.at(index) }
  }

  /// The error that the caller receives.
  package func error(in format: String) -> APIError {
    let subject = path.isEmpty ? "the value" : "the parameter \(path.debugDescription)"
    return APIError(.assembly, .unencodableParameter, "\(subject) cannot be written as \(format): \(why)")
  }
}
