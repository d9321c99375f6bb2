extension APIError: Redacted {
  /// One line, safe to log: the request, the stage, and the failure with its numbers.
  ///
  /// `GET rent/list (Listings) failed in transport: no bytes for 30 s; attempt 2 of 2`
  public var description: String {
    var text = ""
    if let subject { text += subject + " " }
    text += "failed in \(stage.rawValue): \(detail)"
    if let status = context.status, reason != .unacceptableStatus { text += "; status \(status)" }
    if let attempt = context.attempt {
      if let limit = context.attemptLimit, limit > 1 {
        text += "; attempt \(attempt) of \(limit)"
      } else if attempt > 1 {
        text += "; attempt \(attempt)"
      }
    }
    // The detail may have words of the server.
    return text.onOneLine
  }

  /// Holds ``label`` and ``description``, so that `dump` shows no secret of request and response.
  public var customMirror: Mirror { Mirror(self, children: ["label": label, "description": description]) }

  /// Stage and reason, without variable parts: `transport.idle-timeout`. Suitable as the name of a metric.
  public var label: String { "\(stage.rawValue).\(reason.name)" }

  /// Everything known, over several lines, with at most 16 KiB of the body. It may contain bodies and
  /// values of header fields: keep it out of logs that leave the machine.
  public var expandedDescription: String {
    var lines = [description, "  label: \(label)"]
    if let quote { lines.append("  quoted: \(quote)") }
    if let manager = context.manager { lines.append("  manager: \(manager)") }
    if let location = context.location { lines.append("  location: \(location)") }
    if let flightID = context.flightID { lines.append("  flight: \(flightID)") }
    if let elapsed = context.elapsed { lines.append("  elapsed: \(elapsed)") }
    if let attachedRequest {
      lines += ["  request:"] + "\(attachedRequest)".split(separator: "\n").map { "    \($0)" }
    }
    if let underlying { lines.append("  underlying: \(underlying)") }
    if let evidence {
      lines.append("  status: \(evidence.status)")
      lines += evidence.headers.map { "  \($0.name): \($0.value)" }
      lines.append("  body (\(evidence.body.count) bytes):")
      lines.append(String(decoding: evidence.body.prefix(Self.printedBodyLimit), as: UTF8.self))
    }
    return lines.joined(separator: "\n")
  }

  /// In bytes; a longer body would hide the rest of the text.
  private static let printedBodyLimit = 16 * 1024

  private var subject: String? {
    let call = [context.method, context.apiName ?? context.location].compactMap { $0 }
    guard !call.isEmpty else { return context.service.map { "(\($0))" } }
    let service = context.service.map { " (\($0))" } ?? ""
    return call.joined(separator: " ") + service
  }
}
