import APIKit
import Reformers

/// Prints the response of a call: its head and its body, or everything as JSON.
@MainActor
struct ResponsePrinter {
  let session: Session
  /// What is shown; nil for all on a terminal and the body elsewhere.
  let part: CallArguments.Part?

  /// The most bytes of a body that JSON for machines holds.
  static let jsonLimit = 64 << 20

  /// - Parameter begin: When the load began.
  func print(_ response: HTTPResponse, since begin: ContinuousClock.Instant) async throws {
    if session.writesJSON { return try await printJSON(response, since: begin) }
    let console = session.console
    let part = part ?? (console.isTerminal ? .all : .body)
    if part != .body { printHead(response) }
    if part == .all { console.print("") }
    if part != .head {
      var body = BodyPrinter(console)
      try await body.print(response)
    }
    guard console.isTerminal else { return }
    console.error(console.errorPalette.paint(summary(response, since: begin), .quiet))
  }

  private func printHead(_ response: HTTPResponse) {
    let (console, palette) = (session.console, session.console.palette)
    let ink: Palette.Ink = response.status < 300 ? .good : response.status < 400 ? .warning : .bad
    console.print(palette.paint("\(response.version.rawValue) \(response.status)", ink))
    for field in response.headers {
      console.print(
        palette.paint(DisplayWidth.printable(field.name), .name) + ": " + DisplayWidth.printable(field.value))
    }
  }

  /// `200 in 12 ms, 3 redirects, from 127.0.0.1:8080, connection reused`
  private func summary(_ response: HTTPResponse, since begin: ContinuousClock.Instant) -> String {
    var metrics = response.metrics
    if case .stream(let stream) = response.body, let whole = stream.metrics { metrics = whole }
    var parts = ["\(response.status) in \((ContinuousClock.now - begin).shortText)"]
    if metrics.bytesReceived > 0 { parts.append(TransferReport.amount(metrics.bytesReceived)) }
    let hops = response.redirects.count
    if hops > 0 { parts.append("\(hops) \(hops == 1 ? "redirect" : "redirects")") }
    if let address = metrics.remoteAddress { parts.append("from \(address)") }
    if let tls = metrics.tlsVersion { parts.append(tls) }
    return parts.joined(separator: ", ")
  }

  private func printJSON(_ response: HTTPResponse, since begin: ContinuousClock.Instant) async throws {
    let (bytes, isWhole) = try await BodyPrinter.beginning(of: response.body, atMost: Self.jsonLimit)
    guard isWhole else {
      throw APIError(
        .response, .responseTooLarge,
        "--json holds bodies of up to \(Self.jsonLimit) bytes; --output FILE keeps all")
    }
    let object: [String: Any?] = [
      "status": response.status, "version": response.version.rawValue, "url": response.url?.string,
      "headers": response.headers.map { [$0.name, $0.value] }, "bytes": bytes.count,
      "milliseconds": Int((ContinuousClock.now - begin) / .milliseconds(1)),
      "redirects": response.redirects.count, "body": Self.plain(bytes, isJSON: response.isJSON),
    ]
    // Not canonical: the numbers of a body stay as they are.
    session.console.print(try RawData(plain: object).jsonText())
  }

  /// JSON as it is, text as text, anything else as an object with its base64.
  private static func plain(_ bytes: [UInt8], isJSON: Bool) -> Any? {
    if bytes.isEmpty { return nil }
    if isJSON, let raw = try? RawData(parsing: bytes) { return raw }
    return String(wellFormed: bytes, as: UTF8.self) ?? ["base64": Base64.encode(bytes)]
  }
}
