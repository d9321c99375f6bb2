import APIKit
import Foundation

/// What a queue keeps as bytes: an item, or how one has ended.
protocol QueueContent: Sendable {
  /// What the bytes stand in on the disk.
  static var envelope: Envelope { get }
  func write(to writer: inout ByteWriter)
  /// Nil for bytes that ``write(to:)`` did not make.
  init?(from reader: inout ByteReader)
}

extension QueueContent {
  /// The bytes without their envelope.
  func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 512)
    write(to: &writer)
    return writer.finish()
  }

  /// Nil for bytes that ``encode()`` did not make.
  init?(_ bytes: [UInt8]) {
    guard let content = bytes.withUnsafeBytes({ Self(whole: $0) }) else { return nil }
    self = content
  }

  /// The bytes in their envelope.
  var enveloped: [UInt8] {
    var writer = ByteWriter(reserving: 512)
    writeEnveloped(to: &writer)
    return writer.finish()
  }

  func writeEnveloped(to writer: inout ByteWriter) {
    let start = Self.envelope.begin(&writer)
    write(to: &writer)
    Self.envelope.end(&writer, start)
  }

  /// Nil for bytes that are not ``enveloped``, or were damaged.
  init?(enveloped bytes: [UInt8]) {
    let content = bytes.withUnsafeBytes { (try? Self.envelope.unwrap($0)).flatMap { Self(whole: $0) } }
    guard let content else { return nil }
    self = content
  }

  private init?(whole bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    self.init(from: &reader)
    guard reader.isAtEnd else { return nil }
  }
}

// MARK: Parameters

extension ByteWriter {
  mutating func append(_ parameters: Parameters) {
    append(UInt64(parameters.count))
    for (name, value) in parameters {
      append(name)
      append(value)
    }
  }

  private mutating func append(_ value: ParameterValue) {
    switch value {
    case .null: append(byte: 0)
    case .string(let text):
      append(byte: 1)
      append(text)
    case .integer(let number):
      append(byte: 2)
      append(UInt64(bitPattern: Int64(number)))
    case .double(let number):
      append(byte: 3)
      append(number)
    case .bool(let flag): append(byte: flag ? 5 : 4)
    case .date(let date):
      append(byte: 6)
      append(date.timeIntervalSinceReferenceDate)
    case .data(let data):
      append(byte: 7)
      append(data)
    case .array(let values):
      append(byte: 8)
      append(UInt64(values.count))
      for value in values { append(value) }
    case .object(let parameters):
      append(byte: 9)
      append(parameters)
    case .number(let text):
      append(byte: 10)
      append(text)
    }
  }
}

extension ByteReader {
  /// As deep as a document may be.
  private static let maximumDepth = 512

  mutating func parameters(depth: Int = 0) -> Parameters? {
    guard depth < Self.maximumDepth else { return nil }
    return list { reader in
      guard let name = reader.text(), let value = reader.value(depth: depth + 1) else { return nil }
      return (name, value)
    }.map { Parameters($0) }
  }

  private mutating func value(depth: Int) -> ParameterValue? {
    guard depth < Self.maximumDepth, let kind = take(1)?.first else { return nil }
    switch kind {
    case 0: return .null
    case 1: return text().map { .string($0) }
    case 2: return number().map { .integer(Int(Int64(bitPattern: $0))) }
    case 3: return double().map { .double($0) }
    case 4: return .bool(false)
    case 5: return .bool(true)
    case 6: return double().map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case 7: return countedBytes().map { .data($0) }
    case 8: return list(ofAtLeast: 1) { $0.value(depth: depth + 1) }.map { .array($0) }
    case 9: return parameters(depth: depth).map { .object($0) }
    case 10: return text().map { .number($0) }
    default: return nil
    }
  }
}
