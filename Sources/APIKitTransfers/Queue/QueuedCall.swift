import APIKit
import Foundation

/// What is kept of a load that waits in a queue: all that is sent but for what proves who sends it.
struct QueuedCall: Sendable, Equatable {
  /// A value that is taken of the response of an item before.
  struct Fill: Sendable, Equatable {
    var parameter: String
    var parent: Int64
    var path: String
  }

  /// What is sent beside parameters.
  enum Body: Sendable, Equatable {
    case none
    case bytes([UInt8])
    /// In the file of the item.
    case spooled
  }

  /// The idempotency key, the same for all attempts.
  var key = ""
  var service = ""
  var environment = ""
  var apiName = ""
  var method = HTTPMethod.post
  var parameters = Parameters()
  /// The manager's header fields, without secrets.
  var headers = HTTPHeaders()
  var body = Body.none
  var contentType: String?
  var fills: [Fill] = []

  // MARK: As bytes

  static let envelope = Envelope(kind: .queuedItem)

  func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 512)
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout ByteWriter) {
    for text in [key, service, environment, apiName, method.rawValue] { writer.append(text) }
    writer.append(parameters)
    writer.append(UInt64(headers.count))
    for field in headers.fields {
      writer.append(field.name)
      writer.append(field.value)
    }
    switch body {
    case .none: writer.append(UInt64(0))
    case .bytes(let bytes):
      writer.append(UInt64(1))
      writer.append(bytes)
    case .spooled: writer.append(UInt64(2))
    }
    writer.append(contentType)
    writer.append(UInt64(fills.count))
    for fill in fills {
      writer.append(fill.parameter)
      writer.append(UInt64(bitPattern: fill.parent))
      writer.append(fill.path)
    }
  }

  init() {}

  /// Nil for bytes that ``encode()`` did not make.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes -> QueuedCall? in
      var reader = ByteReader(bytes)
      var call = QueuedCall()
      guard let key = reader.text(), let service = reader.text(), let environment = reader.text(),
        let apiName = reader.text(), let method = reader.text(), let parameters = reader.parameters(),
        let headers = reader.fields(), let kind = reader.number()
      else { return nil }
      (call.key, call.service, call.environment, call.apiName) = (key, service, environment, apiName)
      (call.method, call.parameters) = (HTTPMethod(rawValue: method), parameters)
      call.headers = HTTPHeaders(headers.map { HTTPHeaders.Field($0, $1) })
      switch kind {
      case 0: break
      case 1:
        guard let count = reader.number(), let bytes = reader.take(Int(clamping: count)) else { return nil }
        call.body = .bytes(bytes)
      case 2: call.body = .spooled
      default: return nil
      }
      guard let contentType = reader.optionalText(), let count = reader.number() else { return nil }
      call.contentType = contentType.text
      for _ in 0..<min(count, 10_000) {
        guard let parameter = reader.text(), let parent = reader.number(), let path = reader.text() else {
          return nil
        }
        call.fills.append(Fill(parameter: parameter, parent: Int64(bitPattern: parent), path: path))
      }
      return reader.isAtEnd ? call : nil
    }
    guard let read else { return nil }
    self = read
  }
}

extension ByteWriter {
  mutating func append(_ bytes: [UInt8]) {
    append(UInt64(bytes.count))
    self.bytes += bytes
  }

  fileprivate mutating func append(_ parameters: Parameters) {
    append(UInt64(parameters.count))
    for (name, value) in parameters {
      append(name)
      append(value)
    }
  }

  private mutating func append(_ value: ParameterValue) {
    switch value {
    case .null: bytes.append(0)
    case .string(let text):
      bytes.append(1)
      append(text)
    case .integer(let number):
      bytes.append(2)
      append(UInt64(bitPattern: Int64(number)))
    case .double(let number):
      bytes.append(3)
      append(number)
    case .bool(let flag): bytes.append(flag ? 5 : 4)
    case .date(let date):
      bytes.append(6)
      append(date.timeIntervalSinceReferenceDate)
    case .data(let data):
      bytes.append(7)
      append(data)
    case .array(let values):
      bytes.append(8)
      append(UInt64(values.count))
      for value in values { append(value) }
    case .object(let parameters):
      bytes.append(9)
      append(parameters)
    }
  }
}

extension ByteReader {
  /// As deep as a document may be.
  private static let maximumDepth = 512

  fileprivate mutating func parameters(depth: Int = 0) -> Parameters? {
    guard let count = number(), depth < Self.maximumDepth else { return nil }
    var pairs: [(String, ParameterValue)] = []
    // A damaged count ends with the bytes.
    var left = count
    while left > 0 {
      guard let name = text(), let value = value(depth: depth + 1) else { return nil }
      pairs.append((name, value))
      left -= 1
    }
    return Parameters(pairs)
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
    case 7:
      guard let count = number() else { return nil }
      return take(Int(clamping: count)).map { .data($0) }
    case 8:
      guard let count = number() else { return nil }
      var values: [ParameterValue] = []
      var left = count
      while left > 0 {
        guard let value = value(depth: depth + 1) else { return nil }
        values.append(value)
        left -= 1
      }
      return .array(values)
    case 9: return parameters(depth: depth).map { .object($0) }
    default: return nil
    }
  }
}
