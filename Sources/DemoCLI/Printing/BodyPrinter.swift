import APIKit
import Reformers

/// Prints the body of a response: as it is where stdout is no terminal; on a terminal as text, JSON in lines, at most so much
/// of it, and nothing of what is no text.
@MainActor
struct BodyPrinter {
  /// The most bytes that a terminal is shown.
  static let terminalLimit = 1 << 20

  let console: Console
  private var shown = 0
  /// Bytes of a character whose end has not come.
  private var rest: [UInt8] = []
  private var endsLine = true

  init(_ console: Console) { self.console = console }

  /// Prints a body. Leaving the rest of a stream cancels its transfer.
  mutating func print(_ response: HTTPResponse) async throws {
    guard console.isTerminal else { return try await write(response.body) }
    if response.isJSON {
      let (bytes, isWhole) = try await Self.beginning(of: response.body, atMost: Self.terminalLimit)
      if isWhole, let text = PrettyJSON.text(bytes, console.palette) { return console.print(text) }
      if show(bytes[...], isLast: isWhole) { end(isWhole: isWhole) }
      return
    }
    if response.statesOtherCharset {
      let (bytes, isWhole) = try await Self.beginning(of: response.body, atMost: Self.terminalLimit)
      var held = response
      held.body = .bytes(bytes)
      if let text = held.text {
        put(text)
        return end(isWhole: isWhole)
      }
    }
    switch response.body {
    case .bytes(let bytes):
      let part = bytes.prefix(Self.terminalLimit)
      if show(part, isLast: part.count == bytes.count) { end(isWhole: part.count == bytes.count) }
    case .stream(let stream):
      for try await chunk in stream {
        guard show(chunk[...].prefix(Self.terminalLimit - shown), isLast: false) else { return }
        guard shown < Self.terminalLimit else { return end(isWhole: false) }
      }
      if show([], isLast: true) { end(isWhole: true) }
    case .file(let path, _): console.print(path)
    }
  }

  private func write(_ body: HTTPResponse.Body) async throws {
    switch body {
    case .bytes(let bytes): console.write(bytes)
    case .stream(let stream): for try await chunk in stream { console.write(chunk) }
    case .file(let path, _): console.print(path)
    }
  }

  /// The beginning of a body, and whether that is all.
  static func beginning(
    of body: HTTPResponse.Body, atMost limit: Int
  ) async throws -> (bytes: [UInt8], isWhole: Bool) {
    var all: [UInt8] = []
    switch body {
    case .bytes(let bytes): return (Array(bytes.prefix(limit)), bytes.count <= limit)
    case .stream(let stream):
      for try await chunk in stream {
        all += chunk.prefix(limit - all.count + 1)
        if all.count > limit { return (Array(all.prefix(limit)), false) }
      }
      return (all, true)
    case .file: return ([], true)
    }
  }

  /// Shows bytes as text; false where they are none, which is said.
  private mutating func show(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Bool {
    shown += bytes.count
    var bytes = rest + bytes
    rest = isLast ? [] : Self.takeCutCharacter(from: &bytes)
    guard !bytes.contains(0), let text = String(wellFormed: bytes, as: UTF8.self) else {
      if !endsLine { console.print("") }
      console.error("the body is no text and is not shown; --output FILE or a pipe keeps it")
      return false
    }
    put(text)
    return true
  }

  private mutating func put(_ text: String) {
    guard !text.isEmpty else { return }
    let safe = Self.printable(text)
    endsLine = safe.hasSuffix("\n")
    console.write(Array(safe.utf8))
  }

  private func end(isWhole: Bool) {
    if !endsLine { console.write([0x0A]) }
    guard !isWhole else { return }
    console.error(
      "only the first \(TransferReport.amount(Int64(Self.terminalLimit))) are shown; --output FILE or a pipe keeps all"
    )
  }

  /// Line ends and tabs stay; other control characters of a server do not reach the terminal.
  static func printable(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { DisplayWidth.printable(String($0).replacing("\t", with: "    ")) }.joined(separator: "\n")
  }

  /// Removes the beginning of a character, or of a line end, whose other bytes have not come.
  private static func takeCutCharacter(from bytes: inout [UInt8]) -> [UInt8] {
    if bytes.last == 0x0D { return [bytes.removeLast()] }
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      guard byte & 0xC0 != 0x80 else { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      guard length > back else { return [] }
      let cut = Array(bytes.suffix(back))
      bytes.removeLast(back)
      return cut
    }
    return []
  }
}

extension HTTPResponse {
  /// Whether its content type is one of JSON.
  var isJSON: Bool { mediaType.map { $0.hasSuffix("/json") || $0.hasSuffix("+json") } ?? false }

  /// Whether its text is in another charset than UTF-8.
  fileprivate var statesOtherCharset: Bool {
    let type = headers["Content-Type"]?.lowercased().replacing("\"", with: "") ?? ""
    return type.contains("charset=") && !type.contains("charset=utf-8") && !type.contains("charset=us-ascii")
  }
}
