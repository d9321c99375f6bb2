#if os(Linux)
  extension CurlTransport {
    /// The source of the body; with `isAlways`, also of a small or missing one, which libcurl would
    /// otherwise send as a form.
    static func source(
      _ request: HTTPRequest, isAlways: Bool
    ) throws(APIError) -> (any CurlSource)? {
      switch request.body {
      case .empty: isAlways ? CurlBytesSource([]) : nil
      case .bytes(let bytes):
        bytes.count >= CurlBytesSource.threshold || isAlways ? CurlBytesSource(bytes) : nil
      case .file(let path, let offset): CurlFileSource(path: path, offset: offset)
      case .stream(let stream):
        if let open = stream.openReader {
          CurlReaderSource(stream.length, opensLate: request.options.expectsContinue, open)
        } else {
          try CurlStreamSource(stream, opensLate: request.options.expectsContinue)
        }
      }
    }

    /// What the transport offers where the request states no codings itself.
    package func acceptedCodings(for exchange: HTTPExchange) -> String? {
      guard !exchange.isToFile, !exchange.request.headers.contains("Range") else { return nil }
      return String("\(CurlDecoding.acceptLine)".dropFirst("Accept-Encoding: ".utf8.count))
    }

    func sink(_ destination: HTTPExchange.Destination) -> (any CurlSink)? {
      switch destination {
      case .memory: nil
      case .file(let path, let maximumBytes):
        CurlFileSink(
          path: path, maximumBytes: maximumBytes, maximumDecodedBytes: configuration.maximumDecodedBytes)
      case .stream: CurlStreamSink(maximumDecodedBytes: configuration.maximumDecodedBytes)
      }
    }

    /// Connects source and sink of a job with its loop, which they resume when they are ready. They hold the
    /// job weakly, because the job holds them.
    func attach(_ job: CurlJob) {
      guard job.source != nil || job.sink != nil else { return }
      let resume: @Sendable () -> Void = { [weak job] in
        if let job { job.mailbox.post(.resume(job)) }
      }
      (job.source as? CurlStreamSource)?.attach(resume)
      (job.sink as? CurlStreamSink)?.attach(
        onDrain: resume, onAbandon: { [weak job] in if let job { job.mailbox.post(.cancel(job)) } })
    }
  }
#endif
