import APIKitTransfers
import APIKit
import Foundation

/// What a call sends: parameters, which the manager encodes, or a body of its own.
struct CallContent {
  var parameters = Parameters()
  var body: HTTPBody?
  /// The type of the body, where that does not say it itself.
  var contentType: String?

  /// - Parameter method: GET and HEAD send no body: their data are a part of the query.
  init(_ items: [RequestItem], method: HTTPMethod, isForm: Bool) throws(UsageError) {
    let files = items.filter { $0.kind == .file }
    let whole = files.filter(\.name.isEmpty)
    if method == .get || method == .head {
      guard files.isEmpty, !isForm else {
        throw UsageError("\(method.rawValue.lowercased()) sends no body; use post, put or patch")
      }
    }
    guard whole.isEmpty || items.count == 1 && !isForm else {
      throw UsageError("@\(whole[0].value) is the whole body: leave the other data out")
    }
    for item in files { try Self.check(item.value) }
    if let path = whole.first?.value {
      body = path == "-" ? .stream(Self.standardInput) : .file(path: path)
      contentType = path.hasSuffix(".json") ? "application/json" : "application/octet-stream"
      return
    }
    for item in items where item.kind != .file {
      guard parameters[item.name] == nil else { throw UsageError("\(item.name) is given twice") }
      parameters[item.name] = try Self.value(of: item)
    }
    guard !files.isEmpty else { return }
    body = try Self.form(parameters, files)
    parameters = Parameters()
  }

  private static func form(_ texts: Parameters, _ files: [RequestItem]) throws(UsageError) -> HTTPBody {
    var form = MultipartForm()
    for (name, value) in texts {
      let text = value.string ?? (try? RawData(plain: Self.plain(value)).jsonText()) ?? ""
      form.append(name, text: text)
    }
    for file in files { form.append(file.name, file: file.value) }
    do throws(APIError) { return try form.body() } catch { throw UsageError(error.detail) }
  }

  private static func check(_ path: String) throws(UsageError) {
    guard path != "-" else { return }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      FileManager.default.isReadableFile(atPath: path)
    else { throw UsageError("the file \(path) cannot be read") }
  }

  private static func value(of item: RequestItem) throws(UsageError) -> ParameterValue {
    switch item.kind {
    case .json: return try json(item.value, of: item.name)
    case .textOfFile: return .string(try text(of: item.value))
    case .jsonOfFile: return try json(try text(of: item.value), of: item.name)
    default: return .string(item.value)
    }
  }

  private static func text(of path: String) throws(UsageError) -> String {
    try check(path)
    guard let data = InputFile.contents(path),
      let text = String(data: data, encoding: .utf8)
    else { throw UsageError("the file \(path) is no text in UTF-8") }
    return text
  }

  private static func json(_ text: String, of name: String) throws(UsageError) -> ParameterValue {
    do throws(APIError) { return value(try RawData(parsing: text)) } catch {
      throw UsageError("\(name): \(error.detail)")
    }
  }

  private static func value(_ raw: RawData) -> ParameterValue {
    switch raw.kind {
    case .object:
      var members = Parameters()
      for (key, member) in raw.members { members[key] = value(member) }
      return .object(members)
    case .array:
      return .array(raw.elements.map { value($0) })
    case .string: return .string(raw.string ?? "")
    case .bool: return .bool(raw.bool ?? false)
    // The digits as they were written: 1.0 and 1e2 are whole numbers, too.
    case .number:
      let digits = raw.numberText ?? "0"
      return Int(digits).flatMap { String($0) == digits ? .integer($0) : nil } ?? .number(digits)
    case .null, .missing: return .null
    }
  }

  private static func plain(_ value: ParameterValue) -> Any? {
    switch value {
    case .string(let text): text
    case .integer(let number): number
    case .double(let number): number
    case .number(let digits): try? RawData(parsing: digits)
    case .bool(let flag): flag
    case .array(let values): values.map { plain($0) }
    case .object(let members): Dictionary(members.map { ($0.name, plain($0.value)) }) { $1 }
    case .date, .data, .null: nil
    }
  }

  /// The standard input, which can be sent once.
  private static var standardInput: HTTPBodyStream {
    HTTPBodyStream {
      {
        let data = try FileHandle.standardInput.read(upToCount: 64 << 10)
        return data.flatMap { $0.isEmpty ? nil : Array($0) }
      }
    }
  }
}
