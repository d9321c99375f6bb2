import APIKit

/// Spans in the JSON form of OTLP, as a collector takes them at `/v1/traces`.
///
/// - SeeAlso: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>
struct SpanDocument: Sendable {
  /// The version of the conventions that names and attributes follow.
  static let schema = "https://opentelemetry.io/schemas/1.37.0"

  var service: String
  /// What else describes the application.
  var resource: [String: String]
  var spans: [Span]

  var bytes: [UInt8] { tree.compactBytes }

  private var tree: JSONTree {
    var described: [String: Span.Value] = resource.mapValues { .text($0) }
    described["service.name"] = .text(service)
    described["telemetry.sdk.name"] = .text("apikit")
    described["telemetry.sdk.language"] = .text("swift")
    described["telemetry.sdk.version"] = .text(ClientDescription.frameworkVersion)
    let scope = JSONTree.object([
      "name": .string("APIKit"), "version": .string(ClientDescription.frameworkVersion),
    ])
    return .object([
      "resourceSpans": .array([
        .object([
          "resource": .object(["attributes": Self.list(described)]),
          "scopeSpans": .array([
            .object([
              "scope": scope, "spans": .array(spans.map(\.tree)), "schemaUrl": .string(Self.schema),
            ])
          ]),
          "schemaUrl": .string(Self.schema),
        ])
      ])
    ])
  }

  fileprivate static func list(_ attributes: [String: Span.Value]) -> JSONTree {
    .array(
      attributes.sorted { $0.key < $1.key }.map { name, value in
        let written: JSONTree =
          switch value {
          case .text(let text): .object(["stringValue": .string(text)])
          // A 64-bit number is a text in the JSON of Protocol Buffers.
          case .number(let number): .object(["intValue": .string(String(number))])
          }
        return .object(["key": .string(name), "value": written])
      })
  }
}

extension Span {
  fileprivate var tree: JSONTree {
    var fields: [String: JSONTree] = [
      "traceId": .string(trace.traceID), "spanId": .string(id), "name": .string(name),
      "kind": .integer(kind.rawValue), "startTimeUnixNano": Self.nanoseconds(begin),
      "endTimeUnixNano": Self.nanoseconds(max(begin, end)), "attributes": SpanDocument.list(attributes),
      "flags": .integer(trace.isSampled ? 1 : 0),
    ]
    if let parent { fields["parentSpanId"] = .string(parent) }
    if let state = trace.state { fields["traceState"] = .string(state) }
    if hasFailed {
      var status: [String: JSONTree] = ["code": .integer(2)]
      if let message { status["message"] = .string(message) }
      fields["status"] = .object(status)
    }
    if !events.isEmpty {
      fields["events"] = .array(
        events.map { event in
          .object([
            "timeUnixNano": Self.nanoseconds(event.at), "name": .string(event.name),
            "attributes": SpanDocument.list(["apikit.detail": .text(event.detail)]),
          ])
        })
    }
    if droppedEvents > 0 { fields["droppedEventsCount"] = .integer(Int64(droppedEvents)) }
    return .object(fields)
  }

  private static func nanoseconds(_ microseconds: Int64) -> JSONTree { .string("\(microseconds)000") }
}
