public import APIKit

/// Verifies HTTP message signatures (RFC 9421) of responses, and of requests on a server.
///
/// ```swift
/// let verifier = MessageVerifier(
///   keys: [try SignatureKey(id: "server-1", algorithm: .ed25519, publicKey: pem)],
///   required: [.status, .contentDigest, .method.ofRequest, .targetURI.ofRequest])
/// ```
/// The components ``SignatureComponent/ofRequest`` bind a response to the request that it answers: without them, an
/// attacker could replace it with another response of the same server.
///
/// Every signature with a known key, or each one with the wanted label and tag, must verify, and there must be at least
/// one. A component, parameter, key or label that is missing, repeated or unknown is refused. `Content-Digest`, where it
/// is covered, is compared with the body as it was on the wire; a message without a body needs none.
public struct MessageVerifier: ResponseVerifier {
  /// The keys by which messages may be signed, found by their ids.
  public let keys: [SignatureKey]
  /// The components that a signature must cover.
  public let required: [SignatureComponent]
  /// The label of the signatures that count; nil, the default, accepts any. Labels are not signed: prefer ``tag``.
  public var label: String?
  /// The tag of the signatures that count; nil, the default, accepts any.
  public var tag: String?
  /// The largest difference between the time of a signature (`created`) and the clock, in seconds. The default is 300.
  public var window = 300
  /// True when all keys are shared secrets.
  public let runsInline: Bool

  /// Makes a verifier.
  ///
  /// - Parameters:
  ///   - keys: The keys by which messages may be signed, each with an id of its own.
  ///   - required: The components that a signature must cover.
  public init(keys: [SignatureKey], required: [SignatureComponent]) {
    self.keys = keys
    self.required = required
    runsInline = keys.allSatisfy { $0.algorithm == .hmacSHA256 }
  }

  /// Verifies a response.
  public func verify(
    _ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int
  ) throws(SignatureFault) {
    let message = SignedMessage(
      request: request, status: response.status, ownHeaders: response.headers, trailers: response.trailers)
    // Such responses have the fields of a body, but no body.
    let isBodiless = request.method == .head || response.status == 304
    try verify(message, now: secondsSince1970) { (field) throws(SignatureFault) in
      guard !isBodiless else { return }
      try ContentDigest.check(field, of: try response.wireBytes())
    } isEmpty: {
      isBodiless || response.isEmpty
    }
  }

  /// Verifies a request that a server received.
  ///
  /// The server has to check whether a nonce was used before: store the nonces of the last `2 * window`
  /// seconds.
  /// - Parameters:
  ///   - request: The request as received, its body before content decoding.
  ///   - now: The server's time in seconds since 1970.
  /// - Returns: The nonces of the signatures that were verified.
  /// - Throws: The fault that was found first.
  @discardableResult
  public func verify(_ request: HTTPRequest, now: Int) throws(SignatureFault) -> [String] {
    try verify(SignedMessage(request: request, ownHeaders: request.headers), now: now) {
      (field) throws(SignatureFault) in
      guard case .bytes(let bytes) = request.body else {
        guard case .empty = request.body else { throw .missing("the body in memory") }
        return try ContentDigest.check(field, of: [])
      }
      try ContentDigest.check(field, of: bytes)
    } isEmpty: {
      request.body.isEmpty
    }
  }

  // MARK: Insides

  @discardableResult
  private func verify(
    _ message: SignedMessage, now: Int,
    checkBody: (String) throws(SignatureFault) -> Void, isEmpty: () -> Bool
  ) throws(SignatureFault) -> [String] {
    let headers = message.ownHeaders
    let found = try signatures(in: headers)
    var nonces: [String] = []
    for one in found {
      let components = try one.verify(message, now: now, window: window)
      for component in required where !components.contains(component) {
        guard component.isDigest, isEmpty(), !component.fields(of: message).contains("Content-Digest") else {
          throw .notCovered(component.description)
        }
      }
      for component in components where component.isDigest {
        try checkBody(component.fields(of: message).combined("Content-Digest") ?? "")
      }
      if let nonce = one.nonce { nonces.append(nonce) }
    }
    return nonces
  }

  /// The signatures that count; at least one.
  private func signatures(in headers: HTTPHeaders) throws(SignatureFault) -> [FoundSignature] {
    guard let input = headers.combined("Signature-Input") else { throw .missing("Signature-Input") }
    guard let signature = headers.combined("Signature") else { throw .missing("Signature") }
    guard let inputs = StructuredFields.strictDictionary(input) else { throw .unreadable("Signature-Input") }
    guard let signatures = StructuredFields.strictDictionary(signature) else {
      throw .unreadable("Signature")
    }
    // Their keys are unique. A server may send thousands.
    let members = Dictionary(uniqueKeysWithValues: signatures.map { ($0.key, $0.member) })
    var found: [FoundSignature] = []
    var isUnknown = false
    for entry in inputs {
      guard case .innerList(let items, let parameters) = entry.member else {
        throw .unreadable("Signature-Input")
      }
      if let label, entry.key != label { continue }
      if let tag, parameters["tag"] != .string(tag) { continue }
      guard case .item(let item)? = members[entry.key], case .bytes(let bytes) = item.value else {
        throw .missing("Signature of \(entry.key)")
      }
      guard case .string(let id)? = parameters["keyid"], let key = keys.first(where: { $0.id == id }) else {
        isUnknown = true
        continue
      }
      guard let text = StructuredFieldWriter.text(entry.member) else { throw .unreadable("Signature-Input") }
      found.append(FoundSignature(items: items, parameters: parameters, text: text, bytes: bytes, key: key))
    }
    guard !found.isEmpty else {
      throw isUnknown ? .unknownKey : .missing("a signature with the wanted label and tag")
    }
    return found
  }
}

/// A signature of a message whose key is known.
private struct FoundSignature {
  let items: [StructuredFields.FieldItem]
  let parameters: [StructuredFields.Parameter]
  let text: String
  let bytes: [UInt8]
  let key: SignatureKey

  var nonce: String? {
    if case .string(let nonce)? = parameters["nonce"] { return nonce }
    return nil
  }

  /// Each is looked for among all fields of the message, and may be a member of a large one.
  private static let mostComponents = 100

  /// Also of times that no clock shows.
  private static func outside(_ now: Int, _ stated: Int) -> SignatureFault {
    let (difference, isBeyond) = now.subtractingReportingOverflow(stated)
    return .outsideWindow(seconds: isBeyond ? now : difference)
  }

  /// Checks parameters, time and signature; returns what is covered.
  func verify(_ message: SignedMessage, now: Int, window: Int) throws(SignatureFault) -> [SignatureComponent]
  {
    var created: Int?
    for parameter in parameters {
      switch (parameter.key, parameter.value) {
      case ("created", .integer(let seconds)): created = seconds
      case ("expires", .integer(let seconds)):
        guard now <= seconds else { throw Self.outside(now, seconds) }
      case ("alg", .string(let name)):
        guard name == key.algorithm.rawValue else { throw .otherAlgorithm }
      case ("keyid", .string), ("nonce", .string), ("tag", .string): break
      default: throw .unknown("the parameter \(parameter.key)")
      }
    }
    guard let created else { throw .missing("created") }
    let (difference, isBeyond) = now.subtractingReportingOverflow(created)
    guard !isBeyond, difference != .min, abs(difference) <= window else { throw Self.outside(now, created) }
    guard items.count <= Self.mostComponents else { throw .unknown("\(items.count) components") }
    var components: [SignatureComponent] = []
    for item in items {
      guard case .string(let name) = item.value, name == name.lowercased() else {
        throw .unreadable("Signature-Input")
      }
      let component = SignatureComponent(name, item.parameters)
      guard !components.contains(component) else { throw .unknown("\(component) twice") }
      components.append(component)
    }
    let base = try message.base(components, parameters: text)
    guard key.verifies(bytes, of: base) else { throw .mismatched }
    return components
  }
}

extension SignatureComponent {
  /// Whether it is the digest of the message's own body, or a part of it.
  fileprivate var isDigest: Bool { name == "content-digest" && parameters["req"] != .bool(true) }

  /// The fields of the message that it is one of.
  fileprivate func fields(of message: SignedMessage) -> HTTPHeaders {
    parameters["tr"] == .bool(true) ? message.trailers : message.ownHeaders
  }
}

extension HTTPResponse {
  fileprivate var isEmpty: Bool { body.count == 0 }

  /// The body as it was on the wire.
  fileprivate func wireBytes() throws(SignatureFault) -> [UInt8] {
    if let codedBytes { return codedBytes }
    let coding = headers.combined("Content-Encoding")?.lowercased() ?? "identity"
    guard coding == "identity" || isEmpty else {
      throw .missing("the body before content decoding, which this transport does not keep;")
    }
    guard case .bytes(let bytes) = body else { throw .missing("the body in memory") }
    return bytes
  }
}
