@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport

@testable import APIKit

/// The server: the homes of each user and city, with faults.
final class ListServer: Sendable {
  struct State {
    var random: SeededGenerator
    /// How many homes a city has; a list that changes has homes inserted at its begin.
    var counts: [String: Int] = [:]
    var inserted = 0
    var isSound = false
    var faults: [String] = []
  }

  let strategy: Int
  let hasTotal: Bool
  let size: Int
  /// How many items it sends of a page at most.
  let sent: Int
  let state: Mutex<State>

  init(strategy: Int, hasTotal: Bool, size: Int, sent: Int, seed: UInt64) {
    (self.strategy, self.hasTotal, self.size, self.sent) = (strategy, hasTotal, size, sent)
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  var paging: Paging {
    let total: RawPath? = hasTotal ? "total" : nil
    let strategy: PagingStrategy =
      switch self.strategy {
      case 0: .pageNumber()
      case 1: .offset()
      case 2: .cursor(at: "next", previous: "previous")
      default: .link()
      }
    return Paging(strategy, items: "items", id: "id", total: total, pageSize: size)
  }

  /// The ids of a list, in order.
  func ids(_ user: String, _ city: String) -> [String] {
    state.withLock { state in
      (0..<(state.counts[city] ?? 0) + state.inserted).map { "\(user)-\(city)-\($0 - state.inserted)" }
    }
  }

  func respond(to request: HTTPRequest) async throws(APIError) -> StubResponse {
    let query = Dictionary(
      (request.url.query ?? "").split(separator: "&").map { pair in
        let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return (halves[0], halves.count > 1 ? halves[1] : "")
      }, uniquingKeysWith: { first, _ in first })
    let user = request.headers["Authorization"].map { String($0.dropFirst(7)) } ?? "nobody"
    let (city, ids) = (query["city"] ?? "", ids(user, query["city"] ?? ""))
    var start = 0
    switch strategy {
    case 0: start = ((query["page"].flatMap { Int($0) } ?? 1) - 1) * sent
    case 1: start = query["offset"].flatMap { Int($0) } ?? 0
    default:
      // A cursor is its user's, and that of one list.
      if let cursor = query["cursor"] {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if parts.first != user || parts.count != 3 || parts[1] != city {
          state.withLock { $0.faults.append("\(user) asked for \(city) at \(cursor)") }
        }
        start = parts.last.flatMap { Int($0) } ?? 0
      }
    }
    let dice = state.withLock { $0.isSound ? 100 : Int($0.random.next() % 100) }
    switch dice {
    case 0..<6: return .status(503, headers: ["Retry-After": "0"])
    case 6..<10: return .failure(.connectionLost)
    case 10..<13: return .text("no JSON")
    case 13..<15: return .json(#"{"items": 5}"#)
    case 15..<17: return .status(401)
    case 17..<45: try? await Task.sleep(for: .microseconds(dice * 60))
    default: break
    }
    let end = min(ids.count, start + sent)
    let items = (start < end ? ids[start..<end] : []).map { #"{"id": "\#($0)"}"# }.joined(separator: ", ")
    var (more, headers) = ("", HTTPHeaders())
    if hasTotal { more += #", "total": \#(ids.count)"# }
    let next = end < ids.count && start < end ? "\(user).\(city).\(end)" : nil
    let previous = start > 0 ? "\(user).\(city).\(max(0, start - sent))" : nil
    if strategy == 2 {
      if let next { more += #", "next": "\#(next)""# }
      if let previous { more += #", "previous": "\#(previous)""# }
    } else if strategy == 3 {
      var links: [String] = []
      if let next { links.append("</api/list?city=\(city)&cursor=\(next)>; rel=\"next\"") }
      if let previous { links.append("</api/list?city=\(city)&cursor=\(previous)>; rel=\"prev\"") }
      if !links.isEmpty { headers["Link"] = links.joined(separator: ", ") }
    }
    return .json("{\"items\": [\(items)]\(more)}", headers: headers)
  }
}
