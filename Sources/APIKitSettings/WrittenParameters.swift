public import APIKit
import Foundation

/// Parameters in the form for storage: every value with its kind, in order, and secrets encrypted.
///
/// `Parameters` encode as they are sent, where a date is a text and the order may be lost. To store them, encode this
/// type:
///
/// ```swift
/// encoder.userInfo[.sealingKey] = key
/// let bytes = try encoder.encode(WrittenParameters(parameters))
/// ```
/// Where a name is one of `SecretNames`, at any level or as in `name=password, value=…`, all pairs are encrypted under
/// `CodingUserInfoKey.sealingKey`. Without the key, encoding throws `APIError.Reason.unwritableForm`.
public struct WrittenParameters: Sendable, Hashable {
  /// The parameters.
  public var parameters: Parameters

  /// Makes the form of parameters.
  ///
  /// - Parameter parameters: The parameters that are to be written.
  public init(_ parameters: Parameters) { self.parameters = parameters }
}

extension WrittenParameters: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "Parameters", start: { Self(Parameters()) },
    .mapped(
      "pairs", \.parameters, isSecret: \.hasSecrets,
      write: { parameters throws in
        if let failure = parameters.failure { throw failure }
        return parameters.codedPairs
      }, read: { Parameters(coded: $0) }))
}

private struct CodedPair: Codable, Sendable {
  let name: String
  let value: CodedCase<ParameterValue>
}

extension Parameters {
  fileprivate init(coded pairs: [CodedPair]) { self.init(pairs.map { ($0.name, $0.value.value) }) }

  fileprivate var codedPairs: [CodedPair] {
    pairs.map { CodedPair(name: $0.name, value: CodedCase($0.value)) }
  }
}

/// A value with its kind: `{"integer": 3}`.
extension ParameterValue: CaseCoded {
  package static let cases = CaseTable<Self>(
    ["null": .null],
    .holding("string", { if case .string(let text) = $0 { text } else { nil } }, make: Self.string),
    .holding("integer", { if case .integer(let number) = $0 { number } else { nil } }, make: Self.integer),
    // As text, so that every number is read again, infinities and NaN too.
    .holding(
      "double", { if case .double(let number) = $0 { number.description } else { nil } },
      make: { Double($0).map(Self.double) }),
    .holding("number", { if case .number(let text) = $0 { text } else { nil } }, make: Self.number),
    .holding("bool", { if case .bool(let flag) = $0 { flag } else { nil } }, make: Self.bool),
    .holding(
      "date",
      { if case .date(let date) = $0 { date.timeIntervalSinceReferenceDate.description } else { nil } },
      make: { Double($0).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } }),
    .holding(
      "data", { if case .data(let bytes) = $0 { Base64.encode(bytes) } else { nil } },
      make: { Base64.decode($0).map(Self.data) }),
    .holding(
      "array", { if case .array(let values) = $0 { values.map(CodedCase.init) } else { nil } },
      make: { .array($0.map(\.value)) }),
    .holding(
      "object", { if case .object(let parameters) = $0 { parameters.codedPairs } else { nil } },
      make: { .object(Parameters(coded: $0)) }))
}
