#if os(Linux)
  /// Where the body of a request comes from when it is not a small array.
  ///
  /// Read on the loop thread, so a read must not wait: a source that has nothing yet says ``CurlRead/later``
  /// and posts a `resume` when it has.
  protocol CurlSource: AnyObject, Sendable {
    /// The length in bytes; nil when it is not known.
    var length: Int64? { get }
    /// Copies the next bytes into the buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlRead
    /// Goes back to the start, for a challenge that makes libcurl send the body again.
    func rewind() -> Bool
    /// Nobody will read on.
    func close()
  }

  /// What a source has.
  enum CurlRead {
    /// So many bytes; 0 ends the body.
    case bytes(Int)
    /// Nothing yet.
    case later
    /// Nothing ever.
    case failed(APIError)
  }

  /// Where the body of an answer goes when it is not an array.
  ///
  /// Called on the loop thread.
  protocol CurlSink: AnyObject, Sendable {
    /// Whether the job lands when the head is complete, and the body follows.
    var landsAtHead: Bool { get }
    /// The head is complete.
    func open(contentCoding: String?) throws(APIError) -> HTTPResponse.Body
    /// Takes the next bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> CurlWrite
    /// The body is complete. The body of the response, for a sink that lands at the end.
    func finish() throws(APIError) -> HTTPResponse.Body
    /// The attempt failed.
    func fail(_ error: APIError)
  }

  /// What a sink did with bytes.
  enum CurlWrite {
    case taken
    /// Took nothing; the transfer waits for a `resume`.
    case later
    case failed(APIError)
  }
#endif
