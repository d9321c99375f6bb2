public import APIKit
public import Foundation

/// Makes a `Decodable` value of the data, for applications that have models already.
///
/// Reads the whole value at its path with `JSONDecoder`, so it costs more than a key map that touches only
/// what is shown. A value that does not fit throws `APIError.Reason.unexpectedValue` with path, expected
/// and found.
public struct DecodableReformer<Output: Decodable & Sendable>: Reformer {
  private let paths: SourceTable<RawPath>
  private let makeDecoder: @Sendable () -> JSONDecoder

  /// Makes a reformer of the value at a path; the default is the whole data.
  ///
  /// - Parameters:
  ///   - type: What to make.
  ///   - path: Where the value stands.
  ///   - makeDecoder: Gives a decoder with the strategies wanted; called once per reform.
  public init(
    _ type: Output.Type = Output.self, at path: RawPath = "",
    decoder makeDecoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.init(type, at: [.any: path], decoder: makeDecoder)
  }

  /// Makes a reformer of a value that stands at another path in each source.
  public init(
    _ type: Output.Type = Output.self, at paths: KeyValuePairs<SourcePattern, RawPath>,
    decoder makeDecoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.paths = SourceTable(paths)
    self.makeDecoder = makeDecoder
  }

  /// The value.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    let value = raw.at(try paths.value(for: source, what: "path of the value"))
    guard value.exists else { throw value.unexpected("a value") }
    do {
      return try makeDecoder().decode(Output.self, from: Data(value.jsonBytes()))
    } catch let error as DecodingError {
      throw Self.translated(error, in: value)
    }
  }

  private static func translated(_ error: DecodingError, in value: RawData) -> APIError {
    func at(_ path: [any CodingKey]) -> RawData {
      path.reduce(value) { cursor, key in
        key.intValue.map { cursor[$0] } ?? cursor[key.stringValue]
      }
    }
    var translated: APIError
    switch error {
    case .typeMismatch(let type, let context): translated = at(context.codingPath).unexpected("\(type)")
    case .valueNotFound(let type, let context): translated = at(context.codingPath).unexpected("\(type)")
    case .keyNotFound(let key, let context):
      translated = at(context.codingPath + [key]).unexpected("a value")
    case .dataCorrupted(let context):
      translated = at(context.codingPath).unexpected("valid data (\(context.debugDescription))")
    @unknown default: translated = value.unexpected("\(Output.self)")
    }
    translated.underlying = error
    return translated
  }
}
