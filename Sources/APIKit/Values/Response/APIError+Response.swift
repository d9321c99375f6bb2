extension APIError {
  /// The response that the failed load received; nil when there was none. It has status, header fields and
  /// body only.
  public var response: HTTPResponse? {
    evidence.map { evidence in
      HTTPResponse(
        status: evidence.status,
        headers: HTTPHeaders(evidence.headers.map { HTTPHeaders.Field($0.name, $0.value) }),
        body: .bytes(evidence.body))
    }
  }

  /// The body of that response, decoded as the service decodes bodies: the JSON of a 404.
  ///
  /// ``RawData/Kind/missing`` when there was no body, or when the decoder of its content type cannot read it. Each
  /// access decodes it anew.
  ///
  /// ```swift
  /// } catch { message = error.raw.message.string ?? error.localizedDescription }
  /// ```
  public var raw: RawData {
    guard let response, !response.bytes.isEmpty else { return .missing }
    let decoders = bodyDecoders ?? .standard
    return (try? decoders.decode(response.bytes, contentType: response.headers["Content-Type"])) ?? .missing
  }

  /// The error of a body that is larger than it may be.
  package init(bodyLargerThan limit: some BinaryInteger, evidence: Evidence? = nil) {
    self.init(.transport, .responseTooLarge, "the body is larger than \(limit) bytes", evidence: evidence)
  }

  /// What decodes the bodies of the service; nil for errors of bare values.
  var bodyDecoders: BodyDecoders? {
    get { attachedDecoders as? BodyDecoders }
    set { attachedDecoders = newValue }
  }
}
