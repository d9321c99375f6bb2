extension APIError {
  /// The request at which the load failed, as it was sent: with header fields, cookies, credential and
  /// signature. Of several attempts or redirects it is the last one.
  ///
  /// Nil when none was assembled, and for a load that its caller cancelled. Its texts mask secrets, so
  /// `error.request?.curlCommand()` may be logged; its values do not. The error keeps the body in memory.
  public internal(set) var request: HTTPRequest? {
    get { attachedRequest as? HTTPRequest }
    set { attachedRequest = newValue }
  }

  /// The error of a request of which nothing has left.
  package var unsent: APIError {
    var error = self
    error.requestProgress = .unsent
    return error
  }

  /// What the stream of a request's body threw: an ``APIError`` keeps its words, so that they say which file or part it was.
  package init(unreadableStream what: String, _ error: any Error) {
    let why = (error as? APIError).map { ": \($0.detail)" } ?? ""
    self.init(.transport, .unreadableBody, "the body's stream \(what)\(why)", underlying: error)
  }
}
