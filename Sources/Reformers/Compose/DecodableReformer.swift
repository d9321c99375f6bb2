public import APIKit

/// Decodes a `Decodable` value from the data, for applications that have models already.
///
/// Decodes directly from the document, but all of the value; a ``KeyMap`` reads only the named leaves. A
/// value of another type throws `APIError.Reason.unexpectedValue` with its path, what was expected and what
/// was found.
public struct DecodableReformer<Output: Decodable & Sendable>: Reformer {
  private let paths: SourceTable<RawPath>
  private let options: RawData.DecodingOptions?

  /// Makes a reformer that decodes the value at a path.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - path: The path of the value; the default is the whole data.
  ///   - options: How names are matched and dates read; the default is what the manager of the response states
  ///     (`APIManager.decoding`).
  public init(
    _ type: Output.Type = Output.self, at path: RawPath = "", options: RawData.DecodingOptions? = nil
  ) {
    self.init(type, at: [.any: path], options: options)
  }

  /// Makes a reformer for a value whose path depends on the source; the first pattern that fits is used.
  public init(
    _ type: Output.Type = Output.self, at paths: KeyValuePairs<SourcePattern, RawPath>,
    options: RawData.DecodingOptions? = nil
  ) {
    self.paths = SourceTable(paths)
    self.options = options
  }

  /// The decoded value. Throws `APIError.Reason.misconfigured` for a source without a path.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    let value = raw.at(try paths.value(for: source, what: "path of the value"))
    guard value.exists else { throw value.unexpected("a value") }
    return try value.decode(options: options ?? source.decoding)
  }
}
