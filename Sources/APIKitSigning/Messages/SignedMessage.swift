import APIKit

/// A message whose components are signed: a request, or a response with the request that it answers.
struct SignedMessage {
  let request: HTTPRequest
  /// The status of a response; nil when the request itself is the message.
  var status: Int?
  /// The header fields of the message itself.
  let ownHeaders: HTTPHeaders
  /// The fields behind the body of a response.
  var trailers = HTTPHeaders()

  /// The bytes that are signed (RFC 9421, 2.5).
  ///
  /// - Parameters:
  ///   - components: What is covered, in order.
  ///   - parameters: The value of `@signature-params`.
  func base(_ components: [SignatureComponent], parameters: String) throws(SignatureFault) -> [UInt8] {
    var base: [UInt8] = []
    base.reserveCapacity(1024)
    for component in components {
      let value = try value(of: component)
      // With a line feed inside a value, two different messages could have the same text; and what is signed is ASCII.
      guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
        throw .unknown("a byte in \(component) that is not visible ASCII; a field can be covered with bs")
      }
      base += component.description.utf8
      base += ": ".utf8
      base += value.utf8
      base.append(0x0A)
    }
    base += "\"@signature-params\": ".utf8
    base += parameters.utf8
    return base
  }

  /// The value of one component.
  func value(of component: SignatureComponent) throws(SignatureFault) -> String {
    var form = Form()
    for parameter in component.parameters {
      switch (parameter.key, parameter.value) {
      case ("req", .bool(true)) where status != nil: form.isOfRequest = true
      case ("sf", .bool(true)): form.isStructured = true
      case ("bs", .bool(true)): form.isBinary = true
      case ("tr", .bool(true)): form.isTrailer = true
      case ("key", .string(let key)): form.key = key
      case ("name", .string(let name)) where component.name == "@query-param": form.parameterName = name
      default: throw .unknown(component.description)
      }
    }
    if component.name.utf8.first == UInt8(ascii: "@") {
      guard !form.isStructured, !form.isBinary, !form.isTrailer, form.key == nil else {
        throw .unknown(component.description)
      }
      return try derived(component, form)
    }
    return try field(component, form)
  }

  /// The parameters of a component.
  private struct Form {
    var isOfRequest = false
    var isStructured = false
    var isBinary = false
    var isTrailer = false
    var key: String?
    var parameterName: String?
  }

  // MARK: Derived components

  private func derived(_ component: SignatureComponent, _ form: Form) throws(SignatureFault) -> String {
    if component.name == "@status" {
      guard let status, !form.isOfRequest else { throw .unknown(component.description) }
      return String(status)
    }
    guard status == nil || form.isOfRequest else { throw .unknown(component.description) }
    let url = request.url
    switch component.name {
    case "@method": return request.method.rawValue
    case "@target-uri": return url.string
    case "@authority": return authority
    case "@scheme": return url.scheme
    case "@request-target": return url.query.map { "\(url.path)?\($0)" } ?? url.path
    case "@path": return url.path
    case "@query": return "?" + (url.query ?? "")
    case "@query-param":
      guard let name = form.parameterName else { throw .unknown(component.description) }
      return try parameter(name, component)
    default: throw .unknown(component.description)
    }
  }

  /// The `Host` field in its normal form, or the URL's host and port.
  private var authority: String {
    guard let host = (status == nil ? ownHeaders : request.headers)["Host"]?.lowercased() else {
      return request.url.authority
    }
    let port = ":\(HTTPURL.defaultPort(of: request.url.scheme) ?? 0)"
    return host.hasSuffix(port) ? String(host.dropLast(port.utf8.count)) : host
  }

  private func parameter(
    _ name: String, _ component: SignatureComponent
  ) throws(SignatureFault) -> String {
    var found: String?
    for pair in (request.url.query ?? "").split(separator: "&") {
      let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard PercentEncoding.form20.encode(PercentEncoding.decode(form: pair[..<equals].utf8)) == name else {
        continue
      }
      guard found == nil else { throw .unknown("\(component), which the query has twice") }
      found = PercentEncoding.form20.encode(PercentEncoding.decode(form: pair[equals...].utf8.dropFirst()))
    }
    guard let found else { throw .missing(component.description) }
    return found
  }

  // MARK: Fields

  private func field(_ component: SignatureComponent, _ form: Form) throws(SignatureFault) -> String {
    let isOfResponse = status != nil && !form.isOfRequest
    // No transport sends trailers.
    guard isOfResponse || !form.isTrailer else {
      throw .missing("\(component), since requests have no trailers,")
    }
    let headers = form.isTrailer ? trailers : form.isOfRequest ? request.headers : ownHeaders
    var lines = headers.values(component.name)
    if lines.isEmpty, !isOfResponse, let implied = implied(component.name) { lines = [implied] }
    guard !lines.isEmpty else { throw .missing(component.description) }
    if form.isBinary {
      guard !form.isStructured, form.key == nil else { throw .unknown(component.description) }
      let items = lines.map {
        StructuredFields.Member.item(.init(value: .bytes(Array($0.trimmingSpaces().utf8))))
      }
      return StructuredFieldWriter.text(items) ?? ""
    }
    // Values of Set-Cookie have commas, so joined lines are ambiguous.
    guard component.name != "set-cookie" || lines.count == 1 else {
      throw .unknown("\(component) without bs")
    }
    let value =
      lines.count == 1 ? lines[0].trimmingSpaces() : lines.map { $0.trimmingSpaces() }.joined(separator: ", ")
    if let key = form.key {
      guard let dictionary = StructuredFields.dictionary(value) else { throw .unreadable(component.name) }
      guard let member = dictionary[key] else { throw .missing(component.description) }
      return StructuredFieldWriter.text(member) ?? ""
    }
    guard form.isStructured else { return value }
    guard let kind = Self.kinds[component.name] else {
      throw .unknown("\(component): it is not known to be a structured field")
    }
    guard let canonical = StructuredFields.canonical(value, as: kind) else {
      throw .unreadable(component.name)
    }
    return canonical
  }

  /// The value that the transport writes for a field that the request does not state.
  private func implied(_ name: String) -> String? {
    switch name {
    case "host": request.url.authority
    case "content-length": request.body.byteCount.map { String($0) }
    default: nil
    }
  }

  /// The fields that are structured ones, from the registry of HTTP field names.
  private static let kinds: [String: StructuredFields.FieldKind] = [
    "accept-ch": .list, "accept-signature": .dictionary, "accept-query": .list, "available-dictionary": .item,
    "cache-status": .list, "capsule-protocol": .item, "cdn-cache-control": .dictionary, "client-cert": .item,
    "client-cert-chain": .list, "content-digest": .dictionary, "cross-origin-embedder-policy": .item,
    "cross-origin-opener-policy": .item, "deprecation": .item, "dictionary-id": .item,
    "idempotency-key": .item,
    "incremental": .item, "origin-agent-cluster": .item, "priority": .dictionary, "proxy-status": .list,
    "ratelimit": .list, "ratelimit-policy": .list, "repr-digest": .dictionary, "signature": .dictionary,
    "signature-input": .dictionary, "want-content-digest": .dictionary, "want-repr-digest": .dictionary,
  ]
}

extension HTTPBody {
  /// The length of a body in memory; nil for none and for others.
  fileprivate var byteCount: Int? {
    if case .bytes(let bytes) = self, !bytes.isEmpty { return bytes.count }
    return nil
  }
}
