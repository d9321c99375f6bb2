public import APIKit

/// Signs by HTTP message signatures (RFC 9421), with the digest of the body in `Content-Digest` (RFC 9530).
///
/// ```swift
/// let key = try SignatureKey(id: "app-1", algorithm: .ed25519, privateKey: pem)
/// let identity = ServiceIdentity(signer: MessageSigner(key: key), clock: ServerClock())
/// ```
/// A request may carry several signatures, each under a label of its own; a later one may cover an earlier one by
/// `.field("signature", key: "sig1")`. Signatures of other labels, which the request has already, stay.
///
/// A body that the transport would compress (`HTTPRequestOptions.compressesBody`) is compressed before it is signed,
/// because the digest is that of the bytes on the wire.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9421>
public struct MessageSigner: RequestSigner, FixedCallerSigner {
  /// One signature of a request.
  public struct Signature: Sendable {
    /// The name of the signature in `Signature-Input` and `Signature`: small letters, digits and `_-.*`.
    public var label: String
    /// The key with its id and algorithm.
    public var key: SignatureKey
    /// The covered components. A request without one of these is not signed, and fails.
    public var components: [SignatureComponent]
    /// Components that are covered if the request has them.
    public var whereStated: [SignatureComponent]
    /// The number of seconds for which the signature is valid (`expires`). The default, nil, states
    /// none.
    public var lifetime: Int?
    /// The purpose of the signature (`tag`). None by default.
    public var tag: String?
    /// Whether the algorithm is stated (`alg`). The default is false: the server knows it from the key.
    public var statesAlgorithm = false
    /// Whether it has a nonce, by which the server can detect a repeated request. The default is true.
    public var hasNonce = true

    /// Makes a signature.
    ///
    /// - Parameters:
    ///   - label: Its name; the default is `sig1`.
    ///   - key: The key; a private or a shared one.
    ///   - components: The covered components; the default is the method and the whole URL.
    ///   - whereStated: Components that are covered if the request has them; the default is the digest of the body, its type
    ///     and the credential.
    ///   - lifetime: The number of seconds for which it is valid; nil states none.
    ///   - tag: The purpose; nil for none.
    public init(
      label: String = "sig1", key: SignatureKey,
      components: [SignatureComponent] = [.method, .targetURI],
      whereStated: [SignatureComponent] = [.contentDigest, "content-type", "authorization"],
      lifetime: Int? = nil, tag: String? = nil
    ) {
      self.label = label
      self.key = key
      self.components = components
      self.whereStated = whereStated
      self.lifetime = lifetime
      self.tag = tag
    }
  }

  /// The signatures, in the order in which they are made.
  public let signatures: [Signature]
  /// The algorithm of `Content-Digest`, where that is covered. The default is SHA-256.
  public var digest = ContentDigest.sha256
  /// A digest of the keys and their ids.
  public let caller: String?
  /// True unless a key is one of RSA, which takes about a millisecond.
  public let runsInline: Bool
  private let coversDigest: Bool

  /// Makes a signer with one signature.
  ///
  /// - Parameters:
  ///   - key: The key; a private or a shared one.
  ///   - components: The covered components; the default is the method and the whole URL, and besides, where the request has
  ///     them, the digest of the body, its type and the credential.
  public init(key: SignatureKey, components: [SignatureComponent] = [.method, .targetURI]) {
    self.init([Signature(key: key, components: components)])
  }

  /// Makes a signer with several signatures.
  ///
  /// - Parameter signatures: The signatures, in the order in which they are made.
  public init(_ signatures: [Signature]) {
    self.signatures = signatures
    caller = Crypto.digest(of: ["MessageSigner"] + signatures.flatMap { [$0.key.id, $0.key.digest] })
    runsInline = signatures.allSatisfy(\.key.isQuick)
    coversDigest = signatures.contains {
      ($0.components + $0.whereStated).contains { $0.name == "content-digest" }
    }
    SecretNames.add(fields: ["Signature"])
  }

  /// Sets `Signature-Input`, `Signature` and, where it is covered, `Content-Digest`.
  ///
  /// Throws `APIError.Reason.signingFailed` for a component that the request does not have, a streamed body whose
  /// digest is covered, a public key, and a label that is none; `APIError.Reason.unreadableBody` for a file that
  /// cannot be read.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    if coversDigest {
      request = request.compressingBody()
      if let digest = try digest.field(of: request.body) {
        request.headers["Content-Digest"] = digest
      } else if request.headers.contains("Content-Digest") {
        // It may be that of a body which an earlier attempt had.
        request.headers["Content-Digest"] = digest.field(of: [])
      }
    }
    // Moved out of the request, so that changing the fields copies nothing.
    var headers = request.headers
    request.headers = HTTPHeaders()
    defer { request.headers = headers }
    try sign(&headers, subject) { [request] in SignedMessage(request: request, ownHeaders: $0) }
  }

  /// Signs a response, for servers. Components of the request have ``SignatureComponent/ofRequest``.
  ///
  /// - Parameters:
  ///   - response: The response with its body in memory, after content coding.
  ///   - request: The request that it answers, as received.
  ///   - subject: Time and nonce.
  /// - Throws: As ``sign(_:_:)``.
  public func sign(
    _ response: inout HTTPResponse, to request: HTTPRequest, _ subject: SigningSubject
  ) throws(APIError) {
    if coversDigest, !response.bytes.isEmpty {
      response.headers["Content-Digest"] = digest.field(of: response.bytes)
    }
    var headers = response.headers
    let (status, trailers) = (response.status, response.trailers)
    try sign(&headers, subject) {
      SignedMessage(request: request, status: status, ownHeaders: $0, trailers: trailers)
    }
    response.headers = headers
  }

  private func sign(
    _ headers: inout HTTPHeaders, _ subject: SigningSubject, message: (HTTPHeaders) -> SignedMessage
  ) throws(APIError) {
    do throws(SignatureFault) {
      var fields = try SignatureFields(of: headers, without: signatures.map(\.label))
      for signature in signatures {
        if !fields.isEmpty || headers.contains("Signature-Input") { fields.write(to: &headers) }
        try signature.sign(message(headers), subject, into: &fields)
      }
      fields.write(to: &headers)
    } catch {
      throw APIError(.signing, .signingFailed, "the message cannot be signed: \(error)")
    }
  }
}

extension MessageSigner.Signature {
  fileprivate func sign(
    _ message: SignedMessage, _ subject: SigningSubject, into fields: inout SignatureFields
  ) throws(SignatureFault) {
    var covered = components
    for component in whereStated where message.has(component) && !covered.contains(component) {
      covered.append(component)
    }
    var parameters: [StructuredFields.Parameter] = [.init("created", .integer(subject.secondsSince1970))]
    parameters.append(.init("keyid", .string(key.id)))
    if statesAlgorithm { parameters.append(.init("alg", .string(key.algorithm.rawValue))) }
    if let lifetime {
      let (end, isBeyond) = subject.secondsSince1970.addingReportingOverflow(lifetime)
      guard !isBeyond else { throw .unknown("a lifetime of \(lifetime) seconds") }
      parameters.append(.init("expires", .integer(end)))
    }
    if hasNonce { parameters.append(.init("nonce", .string(subject.nonce))) }
    if let tag { parameters.append(.init("tag", .string(tag))) }
    var text = "("
    text.reserveCapacity(256)
    for component in covered {
      guard !component.description.isEmpty else { throw .unknown("a component that has no text") }
      if text.utf8.count > 1 { text += " " }
      text += component.description
    }
    text += ")"
    guard StructuredFieldWriter.append(parameters, to: &text) else {
      throw .unknown("a parameter that has no text")
    }
    let base = try message.base(covered, parameters: text)
    guard let signature = key.sign(base) else { throw .unknownKey }
    try fields.add(label, text: text, signature)
  }
}

extension SignedMessage {
  /// Whether the message has a component that may be left out.
  fileprivate func has(_ component: SignatureComponent) -> Bool {
    if !component.name.hasPrefix("@"), component.parameters.isEmpty {
      return ownHeaders.contains(component.name)
    }
    return (try? value(of: component)) != nil
  }
}

/// The fields `Signature-Input` and `Signature` as they are written.
private struct SignatureFields {
  private var inputs: [(label: String, text: String)] = []

  /// Reads the signatures whose labels are not replaced.
  init(of headers: HTTPHeaders, without labels: [String]) throws(SignatureFault) {
    guard let input = headers.combined("Signature-Input"), let signature = headers.combined("Signature")
    else {
      return
    }
    guard let inputs = StructuredFields.strictDictionary(input) else { throw .unreadable("Signature-Input") }
    guard let signatures = StructuredFields.strictDictionary(signature) else {
      throw .unreadable("Signature")
    }
    for entry in inputs where !labels.contains(entry.key) {
      guard let text = StructuredFieldWriter.text(entry.member),
        let kept = signatures[entry.key].flatMap(StructuredFieldWriter.text)
      else { throw .unreadable("Signature") }
      self.inputs.append((entry.key, text))
      self.signatures.append(kept)
    }
  }

  private var signatures: [String] = []

  var isEmpty: Bool { inputs.isEmpty }

  mutating func add(_ label: String, text: String, _ signature: [UInt8]) throws(SignatureFault) {
    guard let first = label.utf8.first, StructuredFieldWriter.keyStart.contains(first),
      label.utf8.allSatisfy(StructuredFieldWriter.keyCharacters.contains),
      !inputs.contains(where: { $0.label == label })
    else { throw .unknown("the label \(label.debugDescription)") }
    inputs.append((label, text))
    signatures.append(":\(Base64.encode(signature)):")
  }

  /// Replaces both fields.
  func write(to headers: inout HTTPHeaders) {
    guard !inputs.isEmpty else {
      headers.remove("Signature-Input")
      headers.remove("Signature")
      return
    }
    headers["Signature-Input"] = inputs.map { "\($0.label)=\($0.text)" }.joined(separator: ", ")
    headers["Signature"] = zip(inputs, signatures).map { "\($0.label)=\($1)" }.joined(separator: ", ")
  }
}

extension MessageSigner: CustomStringConvertible {
  /// The labels with their keys' ids and algorithms, without secrets.
  public var description: String {
    "HTTP message signatures: " + signatures.map { "\($0.label) with \($0.key)" }.joined(separator: ", ")
  }
}
