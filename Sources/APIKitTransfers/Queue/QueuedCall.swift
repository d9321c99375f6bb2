import APIKit

/// What is kept of a load that waits in a queue: all that is sent, without credentials.
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

  init() {}
}

extension QueuedCall: QueueContent {
  static let envelope = Envelope(kind: .queuedItem)

  func write(to writer: inout ByteWriter) {
    for text in [key, service, environment, apiName, method.rawValue] { writer.append(text) }
    writer.append(parameters)
    writer.append(headers)
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

  init?(from reader: inout ByteReader) {
    guard let key = reader.text(), let service = reader.text(), let environment = reader.text(),
      let apiName = reader.text(), let method = reader.text(), let parameters = reader.parameters(),
      let headers = reader.headers(), let kind = reader.number()
    else { return nil }
    (self.key, self.service, self.environment, self.apiName) = (key, service, environment, apiName)
    (self.method, self.parameters, self.headers) = (HTTPMethod(rawValue: method), parameters, headers)
    switch kind {
    case 0: break
    case 1:
      guard let bytes = reader.countedBytes() else { return nil }
      body = .bytes(bytes)
    case 2: body = .spooled
    default: return nil
    }
    guard let contentType = reader.optionalText(), let fills = reader.list({ Fill(from: &$0) }) else {
      return nil
    }
    (self.contentType, self.fills) = (contentType.text, fills)
  }
}

extension QueuedCall.Fill {
  fileprivate init?(from reader: inout ByteReader) {
    guard let parameter = reader.text(), let parent = reader.number(), let path = reader.text() else {
      return nil
    }
    self.init(parameter: parameter, parent: Int64(bitPattern: parent), path: path)
  }
}
