#if os(Linux)
  /// Undoes the content codings of an answer. Not libcurl's decoders: those take a cut or damaged gzip body for
  /// a whole one, and read only the first of several members.
  enum CurlDecoding {
    static let acceptLine: StaticString = "Accept-Encoding: gzip, deflate"

    /// The codings of a `Content-Encoding` value in the order they were applied, `identity` left out.
    static func codings(_ value: String) -> [String] {
      value.split(separator: ",").map { String($0).trimmingSpaces().lowercased() }
        .filter { $0 != "identity" && !$0.isEmpty }
    }

    /// Decodes a body in memory.
    static func decode(_ body: [UInt8], _ value: String, maximumBytes: Int) throws(APIError) -> [UInt8] {
      var body = body
      for name in codings(value).reversed() {
        guard let coding = ContentDecoder.Coding(name) else {
          throw APIError(
            .transport, .undecodableContent, "the content coding \(name.debugDescription) is not known")
        }
        var decoder = ContentDecoder(coding, maximumBytes: maximumBytes)
        var output: [UInt8] = []
        try decoder.decode(body, into: &output)
        try decoder.finish()
        body = output
      }
      return body
    }
  }
#endif
