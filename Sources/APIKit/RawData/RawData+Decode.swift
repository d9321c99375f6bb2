extension RawData {
  /// How ``decode(as:options:)`` finds names and reads dates.
  public struct DecodingOptions: Sendable {
    /// How a type's coding keys are found among an object's names.
    public enum Keys: Sendable, Hashable {
      /// A coding key is a name, byte for byte.
      case asWritten
      /// The key `imageURL` or `imageUrl` finds the name `image_url`; an exact name comes first. The keys of
      /// dictionaries stay as they are written.
      case snakeCase
    }

    /// The default is ``Keys/asWritten``.
    public var keys: Keys = .asWritten
    /// The default is ``RawData/DateFormat/automatic``.
    public var dates: DateFormat = .automatic
    /// What types find in `Decoder.userInfo`. The default is empty.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Names as written, dates by their form.
    public static let `default` = DecodingOptions()

    /// Makes the default options.
    public init() {}
  }

  /// Reads a `Decodable` type straight from the document, without plain values in between.
  ///
  /// `Date` is read by the options, `Data` from base64, `URL` from a string, `Decimal` with all digits. A
  /// number is an integer when its value is one (`12.0` is) and fits the type; nothing else is converted.
  /// - Throws: An error of place `reform` and reason ``APIError/Reason/unexpectedValue``. Its detail names the
  ///   path from the top of the document, what was expected and what stood there; `underlying` is the
  ///   `DecodingError` with its coding path, or what the type's own `init(from:)` threw.
  public func decode<Value: Decodable>(
    as type: Value.Type = Value.self, options: DecodingOptions = .default
  ) throws(APIError) -> Value {
    let decoder = RawDecoder(session: RawDecoder.Session(options: options, root: self), code: code)
    do {
      return try decoder.value(type)
    } catch let error as DecodingError {
      throw APIError(.reform, .unexpectedValue, detail(of: error), underlying: error)
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(
        .reform, .unexpectedValue, "\(Value.self) could not be decoded: \(error)", underlying: error)
    }
  }

  private func detail(of error: DecodingError) -> String {
    let context: DecodingError.Context
    var missing: [RawPath.Step] = []
    switch error {
    case .typeMismatch(_, let its), .valueNotFound(_, let its), .dataCorrupted(let its): context = its
    case .keyNotFound(let key, let its):
      context = its
      missing = [.key(key.stringValue)]
    @unknown default: return "\(error)"
    }
    let steps = context.codingPath.map { key in
      key.intValue.map { RawPath.Step.index($0) } ?? .key(key.stringValue)
    }
    let path = RawPath(steps: self.path.steps + steps + missing).description
    return "\(path.isEmpty ? "the top level" : path): \(context.debugDescription)"
  }
}

extension RawData: Decodable {
  /// Keeps a piece of a decoded type raw: a property of type `RawData` is a cursor to its value.
  ///
  /// - Throws: A `DecodingError` with any decoder but that of ``decode(as:options:)``.
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? RawDecoder else {
      let context = DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "only RawData.decode(as:) can decode RawData")
      throw DecodingError.dataCorrupted(context)
    }
    self = decoder.raw
  }
}
