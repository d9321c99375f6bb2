import Foundation

/// Parameters as they are kept: every value with its kind, in order, and secrets sealed.
///
/// ``Parameters`` encode as what is sent, where a date is a text and the order may be lost. To keep them, encode this:
///
/// ```swift
/// encoder.userInfo[.sealingKey] = key
/// let bytes = try encoder.encode(WrittenParameters(parameters))
/// ```
/// Where a name is one of ``SecretNames``, at any level, all pairs are sealed under
/// `CodingUserInfoKey.sealingKey`. Without the key, encoding throws ``APIError/Reason/unwritableForm``.
public struct WrittenParameters: Sendable, Hashable {
  /// The parameters.
  public var parameters: Parameters

  /// Makes the form of parameters.
  ///
  /// - Parameter parameters: The parameters that are to be written.
  public init(_ parameters: Parameters) { self.parameters = parameters }
}

extension WrittenParameters: Written {
  static let form = WrittenForm<Self>(
    name: "Parameters", start: { Self(Parameters()) },
    members: [
      .mapped(
        "pairs", \.parameters, isSecret: \.hasSecrets,
        { parameters throws in
          if let failure = parameters.failure { throw failure }
          return parameters.pairs.map(WrittenPair.init)
        }, { Parameters($0.map { ($0.name, $0.value.value) }) })
    ])
}

extension Parameters {
  /// Whether a name at any level is that of a secret.
  var hasSecrets: Bool { pairs.contains { SecretNames.contains($0.name) || $0.value.hasSecrets } }
}

extension ParameterValue {
  fileprivate var hasSecrets: Bool {
    switch self {
    case .object(let parameters): parameters.hasSecrets
    case .array(let values): values.contains(where: \.hasSecrets)
    default: false
    }
  }
}

private struct WrittenPair: Codable, Sendable {
  let name: String
  let value: WrittenValue

  init(_ pair: (name: String, value: ParameterValue)) {
    (name, value) = (pair.name, WrittenValue(pair.value))
  }
}

/// A value with its kind: `{"integer": 3}`.
private struct WrittenValue: WrittenCases {
  let value: ParameterValue

  init(_ value: ParameterValue) { self.value = value }

  var written: WrittenCase {
    switch value {
    case .string(let text): WrittenCase("string", text)
    case .integer(let number): WrittenCase("integer", number)
    // As text, so that every number comes back, those that are none too.
    case .double(let number): WrittenCase("double", number.description)
    case .bool(let flag): WrittenCase("bool", flag)
    case .date(let date): WrittenCase("date", date.timeIntervalSinceReferenceDate.description)
    case .data(let bytes): WrittenCase("data", Base64.encode(bytes))
    case .null: WrittenCase("null")
    case .array(let values): WrittenCase("array", values.map(WrittenValue.init))
    case .object(let parameters): WrittenCase("object", parameters.pairs.map(WrittenPair.init))
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> WrittenValue? {
    switch one.name {
    case "string": Self(.string(try one.value()))
    case "integer": Self(.integer(try one.value()))
    case "double": Double(try one.value(String.self)).map { Self(.double($0)) }
    case "bool": Self(.bool(try one.value()))
    case "date":
      Double(try one.value(String.self)).map { Self(.date(Date(timeIntervalSinceReferenceDate: $0))) }
    case "data": Base64.decode(try one.value(String.self)).map { Self(.data($0)) }
    case "null": Self(.null)
    case "array": Self(.array(try one.value([WrittenValue].self).map(\.value)))
    case "object":
      Self(.object(Parameters(try one.value([WrittenPair].self).map { ($0.name, $0.value.value) })))
    default: nil
    }
  }
}
