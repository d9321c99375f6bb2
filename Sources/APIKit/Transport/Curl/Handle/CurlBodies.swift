#if os(Linux)
  /// Gives libcurl the body of a request that is not a small array.
  ///
  /// Read on the loop's thread, so a read must not wait: a source without data returns nil and posts a `resume` when it
  /// has some.
  protocol CurlSource: AnyObject, Sendable {
    /// Opens what is read. Called once, when the job starts: a job that waits holds no descriptor.
    func open() throws(APIError)
    /// The length in bytes, known once it is open; nil when it is not known.
    var length: Int64? { get }
    /// How many bytes it has given, where libcurl counts more: the framing of chunks is not the body's. Else nil.
    var given: Int64? { get }
    /// Copies the next bytes into the buffer and returns how many; 0 ends the body, nil means that there are none yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int?
    /// Goes back to the start, for an authentication challenge that makes libcurl send the body again.
    /// False when that is not possible.
    func rewind() -> Bool
    /// Releases what it holds; nothing is read afterwards.
    func close()
  }

  extension CurlSource {
    var given: Int64? { nil }
  }

  /// Takes the body of a response that is not collected in an array.
  ///
  /// Called on the loop's thread; ``fail(_:)`` also on the thread that finds the transport stopped.
  protocol CurlSink: AnyObject, Sendable {
    /// Whether the job ends when the head is complete, and the body follows.
    var landsAtHead: Bool { get }
    /// Whether it takes the body of a response with this status; one that it does not take is collected in memory.
    func takes(status: Int) -> Bool
    /// Makes what is written to. Called once, when the job starts: a job that waits holds no descriptor.
    func open() throws(APIError)
    /// The head is complete. Returns the body of the response, for a sink that ends the job at its head.
    func begin(contentCoding: String?) throws(APIError) -> HTTPResponse.Body
    /// Takes the next bytes; false when nothing was taken, and the transfer waits for a `resume`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool
    /// The body is complete, and this was measured. Returns the body of the response, for a sink that ends the job at its end.
    func finish(_ metrics: TransportMetrics) throws(APIError) -> HTTPResponse.Body
    /// The attempt failed; the error has its metrics.
    func fail(_ error: APIError)
  }
#endif
