import APIKit
public import APIKitReports

extension StubTransport {
  /// Makes a stub with the responses of an archive: a HAR file, or exchanges of an `ExchangeStore`.
  ///
  /// ```swift
  /// let stub = StubTransport(replaying: try await exchanges.archive(of: exchanges.find()))
  /// ```
  /// A request gets the responses to its method, path and query in the recorded order; the last one is repeated. If none has
  /// its query, it gets those to its method and path. Hosts are not compared. A mask in a path or query matches any text. A
  /// recorded failure fails with its reason. Of a body that was cut, the stub returns the beginning. Rules that are added
  /// later take precedence.
  public convenience init(replaying archive: HTTPArchive) {
    self.init()
    var (byPath, byQuery): (Recordings, Recordings) = (Recordings(), Recordings())
    for entry in archive.entries {
      let asked = AskedURL(entry.request.method, entry.request.url)
      byPath.add(StubResponse(recorded: entry), to: asked.withoutQuery)
      byQuery.add(StubResponse(recorded: entry), to: asked)
    }
    // The rule that is added last applies.
    for recordings in [byPath, byQuery] {
      for (asked, responses) in recordings.list {
        add(responses, asked.description) { asked.means(AskedURL($0.method, $0.url.string)) }
      }
    }
  }

  /// The responses to each request, in order.
  private struct Recordings {
    private(set) var list: [(asked: AskedURL, responses: [StubResponse])] = []

    mutating func add(_ response: StubResponse, to asked: AskedURL) {
      if let index = list.firstIndex(where: { $0.asked == asked }) {
        list[index].responses.append(response)
      } else {
        list.append((asked, [response]))
      }
    }
  }

  /// What a recorded request is told by.
  private struct AskedURL: Hashable, Sendable {
    let method: HTTPMethod
    let path: [Substring]
    /// Name and value of each pair, sorted; nil means any.
    let query: [Substring]?

    private init(_ method: HTTPMethod, _ path: [Substring], _ query: [Substring]?) {
      (self.method, self.path, self.query) = (method, path, query)
    }

    init(_ method: HTTPMethod, _ url: String) {
      let plain = url.prefix { $0 != "#" }
      let beforeQuery = plain.prefix { $0 != "?" }
      // Scheme, nothing, authority, path.
      let parts = beforeQuery.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      let path = parts.count == 4 ? parts[3].split(separator: "/", omittingEmptySubsequences: false) : [""]
      self.init(method, path, plain.dropFirst(beforeQuery.count + 1).split(separator: "&").sorted())
    }

    /// As errors name it.
    var description: String {
      "\(method) /\(path.joined(separator: "/"))" + (query.map { "?" + $0.joined(separator: "&") } ?? "")
    }

    var withoutQuery: AskedURL { AskedURL(method, path, nil) }

    /// Whether a request is this one.
    func means(_ request: AskedURL) -> Bool {
      guard method == request.method, path.count == request.path.count else { return false }
      guard zip(path, request.path).allSatisfy(Self.means) else { return false }
      guard let query else { return true }
      return query.count == (request.query ?? []).count
        && zip(query, request.query ?? []).allSatisfy(Self.means)
    }

    private static let mark = "%E2%80%A2%E2%80%A2%E2%80%A2"

    /// A mask stands for any text.
    private static func means(_ recorded: Substring, _ asked: Substring) -> Bool {
      guard let mark = recorded.firstRange(of: mark) else { return recorded == asked }
      return asked.hasPrefix(recorded[..<mark.lowerBound]) && asked.hasSuffix(recorded[mark.upperBound...])
    }
  }
}

extension StubResponse {
  /// What an entry of an archive got.
  init(recorded entry: HTTPArchive.Entry) {
    if let response = entry.response, !entry.isBroken {
      var headers = response.headers
      // The body is decoded already.
      for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { headers.remove(name) }
      self = .response(
        HTTPResponse(
          status: response.status, headers: headers, body: .bytes(response.body.bytes ?? []),
          version: response.version))
    } else {
      let name = entry.failure?.split(separator: ".").last.map(String.init) ?? ""
      self = .failure(APIError(.transport, APIError.Reason(name, "the recorded attempt failed: \(name)")))
    }
  }
}
