import APIKit

/// Reads the paging information of a response: ids, total, cursors, links.
struct PageReader {
  let paging: Paging
  let service: any APIService

  func read(_ response: APIResponse, _ items: [RawData], before: APIResponse?) -> PageStore.Contents {
    var contents = PageStore.Contents(ids: items.map(id))
    contents.total = paging.total.flatMap { response.raw.at($0).lenientInt }
    contents.isSameAsBefore = before.map { $0.bytes == response.bytes } ?? false
    switch paging.strategy {
    case .pageNumber, .offset: break
    case .cursor(_, let next, let previous, _):
      contents.next = cursor(response.raw.at(next))
      contents.previous = previous.flatMap { cursor(response.raw.at($0)) }
    case .link:
      let targets = LinkField(response.headers.combined("Link") ?? "").targets
      contents.next = targets["next"].map { link($0, in: response.http) }
      contents.previous = (targets["prev"] ?? targets["previous"]).map { link($0, in: response.http) }
    }
    return contents
  }

  private func id(_ item: RawData) -> String? { paging.id.flatMap { item.at($0).lenientString } }

  private func cursor(_ raw: RawData) -> PageStore.Position? {
    guard let text = raw.lenientString, !text.isEmpty else { return nil }
    return .cursor(ExactText(text))
  }

  /// Turns a link into the path and the parameters of the next load. Parameters that a signature adds are
  /// left out, because every load is signed anew.
  ///
  /// The link must lead to the origin that was asked, which may not be that of the response after a redirect: the load
  /// carries what authenticates there.
  private func link(_ target: String, in response: HTTPResponse) -> PageStore.Position {
    guard let here = response.url, let url = try? here.resolving(target) else {
      return .refused("the link to the page cannot be resolved")
    }
    let asked = response.redirects.first?.url ?? here
    guard url.origin == asked.origin else {
      return .refused("the page is at another origin: \(url.origin), the list is at \(asked.origin)")
    }
    return .link(self.target(of: url))
  }

  private func target(of url: HTTPURL) -> PageStore.Target {
    var pairs: [(text: Substring, name: String?, value: String?)] = []
    var counts: [ExactText: Int] = [:]
    for text in (url.query ?? "").split(separator: "&") {
      let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decode(halves[0], plusIsSpace: true)
      if let name, isVolatile(name) { continue }
      pairs.append(
        (text, name, halves.count < 2 ? nil : PercentEncoding.decode(halves[1], plusIsSpace: true)))
      if let name { counts[ExactText(name), default: 0] += 1 }
    }
    var (single, rest) = ([(String, ParameterValue)](), [Substring]())
    for (text, name, value) in pairs {
      if let name, let value, counts[ExactText(name)] == 1 {
        single.append((name, .string(value)))
      } else {
        rest.append(text)
      }
    }
    let query = rest.isEmpty ? "" : "?" + rest.joined(separator: "&")
    return PageStore.Target(path: url.path + query, parameters: Parameters(single), names: Set(counts.keys))
  }

  private func isVolatile(_ name: String) -> Bool {
    service.cache.volatileParameters.containsExactly(name)
      || service.identity.signer?.volatileParameters.containsExactly(name) == true
  }
}
