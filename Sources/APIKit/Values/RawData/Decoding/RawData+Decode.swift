extension RawData {
  /// The options for decoding a type: how names are matched and dates are read. ``decode(as:options:)`` takes them, and
  /// ``APIManager/decoding`` states them for the loads of a manager.
  public struct DecodingOptions: Sendable {
    /// How a type's coding keys are matched with an object's names.
    public enum Keys: Sendable, Hashable {
      /// The name equals the coding key, byte by byte.
      case asWritten
      /// The key `imageURL` or `imageUrl` matches the name `image_url`; an exact match comes first. The
      /// keys of dictionaries are not converted.
      case snakeCase
    }

    /// How coding keys are matched. The default is ``Keys/asWritten``.
    public var keys: Keys = .asWritten
    /// How dates are read. The default is ``RawData/DateFormat/automatic``.
    public var dates: DateFormat = .automatic
    /// The value of `Decoder.userInfo`. The default is empty.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Whether a manager leaves the options to its service.
    package private(set) var isInherited = false

    /// The default options.
    public static let `default` = DecodingOptions()
    /// The options of the service, for a manager (``APIManager/decoding``); elsewhere the default
    /// options.
    public static let inherited: DecodingOptions = {
      var options = DecodingOptions()
      options.isInherited = true
      return options
    }()

    /// Makes options; what is omitted has its default.
    public init(
      keys: Keys = .asWritten, dates: DateFormat = .automatic,
      userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
      (self.keys, self.dates, self.userInfo) = (keys, dates, userInfo)
    }

    /// Whether both are known to decode alike; values of `userInfo` cannot be compared.
    func isAlike(_ other: Self) -> Bool {
      keys == other.keys && dates == other.dates && userInfo.isEmpty && other.userInfo.isEmpty
    }

    /// Whether nothing is stated.
    private var isDefault: Bool { keys == .asWritten && dates == .automatic && userInfo.isEmpty }
    /// The same in one word; nil for the default.
    var boxed: CopyOnWrite<Self>? { isDefault ? nil : CopyOnWrite(self) }
    /// Whether both are the default, or may differ.
    func mayDiffer(from other: Self) -> Bool { !isInherited && (!isDefault || !other.isDefault) }
  }

  /// Decodes a `Decodable` type directly from the document, without plain values in between.
  ///
  /// `Date` is read by the options, `Data` from base64, `URL` from a string, `Decimal` with all digits. A
  /// number is an integer if its value is one (`12.0` is) and fits the type; nothing else is converted. Where the
  /// document is nested deeper than 16 levels and the thread's stack is too small for it, decoding runs on another
  /// thread while this one waits.
  /// - Throws: An error with the stage `reform` and the reason ``APIError/Reason/unexpectedValue``. Its
  ///   detail names the path from the top of the document, the expected and the found kind;
  ///   `underlying` is the `DecodingError` with its coding path, or what the type's own `init(from:)`
  ///   threw. An ``APIError`` that it threw is passed on.
  public func decode<Value: Decodable>(
    as type: Value.Type = Value.self, options: DecodingOptions = .default
  ) throws(APIError) -> Value {
    let session = RawDecoder.Session(options: options, root: self)
    return try decoded { try session.value(type, at: code) }
  }

  /// Runs what reads a value of this part of the document, with enough stack, and describes its errors.
  @usableFromInline
  func decoded<Value>(_ read: () throws -> Value) throws(APIError) -> Value {
    do {
      return try DeepStack.run(depth: document.depthLimit) { () throws(any Error) in try read() }
    } catch let error as DecodingError {
      throw APIError(
        .reform, .unexpectedValue, detail(of: error), quote: Self.quote(of: error), underlying: error)
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(
        .reform, .unexpectedValue, "\(Value.self) could not be decoded: \(Swift.type(of: error)) was thrown",
        underlying: error)
    }
  }

  /// The value that was found, which a decoder's own text leaves out.
  private static func quote(of error: DecodingError) -> String? {
    switch error {
    case .typeMismatch(_, let its), .valueNotFound(_, let its), .keyNotFound(_, let its),
      .dataCorrupted(let its):
      (its.underlyingError as? APIError)?.quote
    @unknown default: nil
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
    @unknown default: return "\(Swift.type(of: error))"
    }
    let steps = context.codingPath.map { key in
      key.intValue.map { RawPath.Step.index($0) } ?? .key(key.stringValue)
    }
    let path = RawPath(steps: self.path.steps + steps + missing).description
    return "\(path.isEmpty ? "the top level" : path): \(context.debugDescription)"
  }
}
