/// Reads out of an answer what turns the pages: ids, total, cursors, links.
struct PageReader {
  let paging: Paging
  let service: any APIService

  func read(
    _ response: APIResponse, _ items: [RawData], before: APIResponse?
  ) throws(APIError) -> PageLedger.Answer {
    var answer = PageLedger.Answer(ids: items.map(id))
    answer.total = paging.total.flatMap { response.raw.at($0).lenientInt }
    answer.isSameAsBefore = before.map { $0.bytes == response.bytes } ?? false
    switch paging.strategy {
    case .pageNumber, .offset: break
    case .cursor(_, let next, let previous, _):
      answer.next = cursor(response.raw.at(next))
      answer.previous = previous.flatMap { cursor(response.raw.at($0)) }
    case .link:
      let field = LinkField(response.headers.combined("Link") ?? "")
      answer.next = try field.targets["next"].map { (target) throws(APIError) in try link(target, response) }
      answer.previous = try (field.targets["prev"] ?? field.targets["previous"])
        .map { (target) throws(APIError) in try link(target, response) }
    }
    return answer
  }

  private func id(_ item: RawData) -> String? { paging.id.flatMap { item.at($0).lenientString } }

  private func cursor(_ raw: RawData) -> PageLedger.Position? {
    guard let text = raw.lenientString, !text.isEmpty else { return nil }
    return .cursor(text)
  }

  /// The query of a link to another page of the same list. What a signature adds is left out: every load is
  /// signed afresh.
  private func link(_ target: String, _ response: APIResponse) throws(APIError) -> PageLedger.Position {
    guard let here = response.http.url else {
      throw APIError(.response, .pagingBroken, "the answer has a Link but no URL to resolve it against")
    }
    let url = try here.resolving(target)
    guard url.origin == here.origin, url.path == here.path else {
      throw APIError(
        .response, .pagingBroken, "the next page is elsewhere: \(url.location), the list is \(here.location)")
    }
    var parameters = Parameters()
    for pair in (url.query ?? "").split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(halves[0], plusIsSpace: true) else { continue }
      let value = halves.count < 2 ? "" : PercentEncoding.decode(halves[1], plusIsSpace: true)
      guard let value, !isVolatile(name) else { continue }
      parameters[name] = .string(value)
    }
    return .link(parameters)
  }

  private func isVolatile(_ name: String) -> Bool {
    service.cache.volatileParameters.contains(name)
      || service.identity.signer?.volatileParameters.contains(name) == true
  }
}
