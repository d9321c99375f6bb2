public import APIKit
import APIKitReports

extension Tape {
  /// Sends the requests of the tape to the live server, and lists responses of another shape.
  ///
  /// Only requests that change nothing (GET, HEAD) are made, one after the other. It compares the status, the media type
  /// and, of JSON, the members and their kinds; values may differ. Run it by hand or at night, because it tests the
  /// server and not the application.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - prepare: Changes each request before it is sent: to sign it, to put a credential in the place of a pseudonym,
  ///     to ask another host. Returning nil leaves an entry out.
  /// - Returns: One line for each difference; empty when the server still responds as recorded.
  public func drift(
    over transport: any HTTPTransport,
    prepare: (HTTPRequest) throws(APIError) -> HTTPRequest? = { (request) throws(APIError) in request }
  ) async throws(APIError) -> [String] {
    var lines: [String] = []
    for (index, entry) in archive.entries.enumerated() where entry.request.method.isSafe {
      guard let recorded = entry.response, !entry.isBroken else { continue }
      var headers = entry.request.headers
      for name in ["Host", "Content-Length"] { headers.remove(name) }
      let plain = HTTPRequest(
        method: entry.request.method, url: try HTTPURL(entry.request.url), headers: headers)
      guard let request = try prepare(plain) else { continue }
      let live = try await transport.send(request)
      let name = "entry \(index), \(request.method) \(request.url.path): "
      lines += Self.differences(recorded, live).map { name + $0 }
    }
    return lines
  }

  private static func differences(_ recorded: HTTPArchive.Response, _ live: HTTPResponse) -> [String] {
    guard recorded.status == live.status else {
      return ["the status is \(live.status), recorded \(recorded.status)"]
    }
    let type = recorded.headers["Content-Type"].map(BodyDecoders.mediaType).flatMap { $0.isEmpty ? nil : $0 }
    guard type == live.mediaType else {
      return ["the media type is \(live.mediaType ?? "none"), recorded \(type ?? "none")"]
    }
    guard let old = try? RawData(parsing: recorded.body.bytes ?? []),
      let new = try? RawData(parsing: live.bytes)
    else { return [] }
    var (was, now) = (Shape(), Shape())
    was.add(old, at: Place())
    now.add(new, at: Place())
    var lines: [String] = []
    for (place, kinds) in was.kinds.sorted(by: { $0.key.text < $1.key.text })
    where !was.isBelowGone(place, now) {
      guard let present = now.kinds[place] else {
        lines.append("\(place.text) is gone")
        continue
      }
      // A value that is null or not there says nothing about its kind.
      let (before, after) = (kinds.subtracting([.null]), present.subtracting([.null]))
      if !before.isEmpty, !after.isEmpty, !after.isSubset(of: before) {
        func names(_ kinds: Set<RawData.Kind>) -> String {
          kinds.map(\.rawValue).sorted().joined(separator: " or ")
        }
        lines.append("\(place.text) is \(names(after)), recorded \(names(before))")
      }
    }
    let added = now.kinds.keys.filter { was.kinds[$0] == nil && !now.isBelowGone($0, was) }
    lines += added.map(\.text).sorted().map { "\($0) is new" }
    return lines
  }

  /// Which values there are in a document, and of which kinds; the elements of a list are one.
  private struct Shape {
    var kinds: [Place: Set<RawData.Kind>] = [:]

    mutating func add(_ raw: RawData, at place: Place) {
      kinds[place, default: []].insert(raw.kind)
      for (key, value) in raw.members { add(value, at: place.member(key)) }
      for element in raw.elements { add(element, at: place.element) }
    }

    /// Whether what it is part of is missing as well, or is an empty list there.
    func isBelowGone(_ place: Place, _ other: Shape) -> Bool {
      guard let container = place.container else { return false }
      return other.kinds[place.isElement ? place : container] == nil
    }
  }

  /// Where a value is in a document.
  private struct Place: Hashable {
    private var path = RawPath(steps: [])

    /// The place that this one is part of; nil for the whole document.
    var container: Place? {
      path.steps.isEmpty ? nil : Place(path: RawPath(steps: path.steps.dropLast()))
    }
    var isElement: Bool { path.steps.last == .index(0) }
    var element: Place { Place(path: RawPath(steps: path.steps + [.index(0)])) }
    func member(_ name: String) -> Place { Place(path: RawPath(steps: path.steps + [.key(name)])) }
    /// For people: `$.items[].name`.
    var text: String {
      path.steps.reduce(into: "$") { text, step in
        if case .key(let name) = step { text += ".\(name)" } else { text += "[]" }
      }
    }
  }
}
