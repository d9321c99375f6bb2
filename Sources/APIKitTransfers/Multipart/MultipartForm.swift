public import APIKit
import Foundation

/// The fields and files of a form, sent as `multipart/form-data`.
///
/// A manager states it by `APIManager.body(for:)`:
///
/// ```swift
/// func body(for parameters: Parameters) throws -> HTTPBody? {
///   var form = MultipartForm()
///   form.append("title", text: "A house by the lake")
///   form.append("photo", file: "/tmp/house.jpg")
///   return try form.body()
/// }
/// ```
/// The body is streamed: a file is read while it is sent, and nothing is written to a temporary file. The parts are sent in
/// the order in which they were appended, and a name may be repeated. Names and file names are sent as UTF-8, with CR, LF
/// and `"` written as `%0D`, `%0A` and `%22`. Texts are sent as they are; their line ends are not changed.
///
/// A request has the `Content-Type` of the form unless its manager or service states one.
/// - SeeAlso: RFC 7578; <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data>
public struct MultipartForm: Sendable {
  /// The boundary: 128 random bits in hexadecimal digits after a prefix. The form and its copies have one
  /// boundary, so all attempts of a load send the same bytes.
  public let boundary: String
  private(set) var parts: [MultipartPart] = []

  /// Makes a form without parts.
  public init() { self.init(boundary: "apikit-" + Hex.encode(Crypto.random(16))) }

  init(boundary: String) { self.boundary = boundary }

  /// Whether a content type is that of a form.
  static func isType(_ contentType: String) -> Bool { contentType.hasPrefix("multipart/form-data") }

  /// `multipart/form-data; boundary=…`.
  public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// Appends a text. Its part has no content type unless one is given.
  public mutating func append(_ name: String, text: String, contentType: String? = nil) {
    parts.append(MultipartPart(name: name, contentType: contentType, content: .bytes(Array(text.utf8))))
  }

  /// Appends bytes as a file.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - bytes: The content.
  ///   - fileName: The file name in the request.
  ///   - contentType: The media type. By default that of the file name's extension, else of the first bytes, else
  ///     `application/octet-stream`.
  public mutating func append(_ name: String, bytes: [UInt8], fileName: String, contentType: String? = nil) {
    let type = contentType ?? MediaTypes.type(ofName: fileName, beginning: bytes.prefix(MediaTypes.longest))
    parts.append(MultipartPart(name: name, fileName: fileName, contentType: type, content: .bytes(bytes)))
  }

  /// Appends a file that is read while it is sent.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - path: The file. ``body()`` examines it; it must not change afterwards.
  ///   - fileName: The file name in the request; by default the last part of the path.
  ///   - contentType: The media type. By default that of the file name's extension, else of the first bytes, else
  ///     `application/octet-stream`.
  public mutating func append(
    _ name: String, file path: String, fileName: String? = nil, contentType: String? = nil
  ) {
    let fileName = fileName ?? (path as NSString).lastPathComponent
    parts.append(
      MultipartPart(name: name, fileName: fileName, contentType: contentType, content: .file(path)))
  }

  /// Appends a file whose content is produced while it is sent.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - stream: The content. If it states a length, it must give exactly that. If it cannot be opened again, the form
  ///     cannot be sent again.
  ///   - fileName: The file name in the request.
  ///   - contentType: The media type. By default that of the file name's extension, else `application/octet-stream`.
  public mutating func append(
    _ name: String, stream: HTTPBodyStream, fileName: String, contentType: String? = nil
  ) {
    let type = contentType ?? MediaTypes.type(ofName: fileName, beginning: [])
    parts.append(MultipartPart(name: name, fileName: fileName, contentType: type, content: .stream(stream)))
  }

  /// The form as the body of a request: a stream, whose length is known when those of all parts are, and that can be sent
  /// again when all parts can.
  ///
  /// Files are examined here. A file that was replaced or changed when it is sent ends the attempt with
  /// `APIError.Reason.unreadableBody`, whose detail names the file.
  ///
  /// - Throws: `APIError.Reason.unreadableBody` for a file that is not there or is not a plain file, and for parts that together
  ///   have more bytes than a length counts,
  ///   `APIError.Reason.invalidHeader` for a content type with a control character.
  public func body() throws(APIError) -> HTTPBody {
    var segments: [MultipartSource] = []
    for part in parts {
      let source = try MultipartSource(part.content)
      let head = try part.head(boundary, source.beginning)
      segments += [.bytes(Array(head.utf8)), source, .bytes([13, 10])]
    }
    segments.append(.bytes(Array("--\(boundary)--\r\n".utf8)))
    var length: Int64? = 0
    for segment in segments {
      guard let sum = length, let count = segment.length else {
        length = nil
        break
      }
      let (longer, isTooLong) = sum.addingReportingOverflow(count)
      guard !isTooLong else {
        throw APIError(
          .assembly, .unreadableBody, "the parts of the form have more bytes than a length counts")
      }
      length = longer
    }
    let all = segments
    var stream = HTTPBodyStream(
      length: length, isReplayable: all.allSatisfy { $0.stream?.isReplayable ?? true },
      contentType: contentType
    ) {
      let reader = MultipartReader(try MultipartBlocks(all))
      return { try await reader.next() }
    }
    if all.allSatisfy({ $0.stream == nil }) {
      stream.openReader = { () throws(APIError) in try MultipartBlocks(all) }
    }
    return .stream(stream)
  }
}

/// One part of a form.
struct MultipartPart: Sendable {
  enum Content: Sendable {
    case bytes([UInt8])
    case file(String)
    case stream(HTTPBodyStream)
  }

  let name: String
  var fileName: String?
  let contentType: String?
  let content: Content

  /// The delimiter before the part and its header fields. `beginning` is that of a file.
  func head(_ boundary: String, _ beginning: ArraySlice<UInt8>) throws(APIError) -> String {
    var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escape(name))\""
    if let fileName { head += "; filename=\"\(Self.escape(fileName))\"" }
    if let type = contentType ?? fileName.map({ MediaTypes.type(ofName: $0, beginning: beginning) }) {
      guard !type.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw APIError(
          .assembly, .invalidHeader,
          "the content type of the part \(name.debugDescription) has a control character")
      }
      head += "\r\nContent-Type: \(type)"
    }
    return head + "\r\n\r\n"
  }

  private static func escape(_ name: String) -> String {
    // By scalars: CR and LF together are one character.
    var escaped = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\n": escaped.append(contentsOf: "%0A".unicodeScalars)
      case "\r": escaped.append(contentsOf: "%0D".unicodeScalars)
      case "\"": escaped.append(contentsOf: "%22".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}

extension HTTPBody {
  /// A form as a body: `try plans.upload(.form(form))`. Throws what ``MultipartForm/body()`` throws.
  public static func form(_ form: MultipartForm) throws(APIError) -> HTTPBody { try form.body() }

  /// Whether it is a form (`multipart/form-data`).
  package var isForm: Bool {
    if case .stream(let stream) = self {
      stream.contentType.map(MultipartForm.isType) ?? false
    } else {
      false
    }
  }
}
