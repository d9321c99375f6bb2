public import APIKit

/// Makes a `Decodable` value of the data, for applications that have models already.
///
/// Decodes straight from the document, but the whole value: a key map touches only what is shown. A value
/// that does not fit throws `unexpectedValue` with path, expected and found.
public struct DecodableReformer<Output: Decodable & Sendable>: Reformer {
  private let paths: SourceTable<RawPath>
  private let options: RawData.DecodingOptions

  /// Makes a reformer of the value at a path; the default is the whole data.
  ///
  /// - Parameters:
  ///   - type: What to make.
  ///   - path: Where the value stands.
  ///   - options: How names are found and dates read.
  public init(
    _ type: Output.Type = Output.self, at path: RawPath = "", options: RawData.DecodingOptions = .default
  ) {
    self.init(type, at: [.any: path], options: options)
  }

  /// Makes a reformer of a value that stands at another path in each source.
  public init(
    _ type: Output.Type = Output.self, at paths: KeyValuePairs<SourcePattern, RawPath>,
    options: RawData.DecodingOptions = .default
  ) {
    self.paths = SourceTable(paths)
    self.options = options
  }

  /// The value.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    let value = raw.at(try paths.value(for: source, what: "path of the value"))
    guard value.exists else { throw value.unexpected("a value") }
    return try value.decode(options: options)
  }
}
