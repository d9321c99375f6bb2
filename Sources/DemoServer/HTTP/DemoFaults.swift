import APIKit

/// The faults that a request asks for in its response; their names are listed at ``DemoServer``.
struct DemoFaults {
  var delay: Duration?
  var stall: Duration?
  var fail: String?
  var truncate: Int?
  var chunk: Int?
  var cacheControl: String?
  var times: Int?
  var key: String?
  /// The name of a parameter that is no number from 0 on.
  private(set) var wrong: String?

  static let none = DemoFaults()

  private init() {}

  init(_ request: DemoRequest) {
    func text(_ name: String) -> String? {
      request.headers["X-Demo-" + name] ?? request["demo_" + name.lowercased()]
    }
    var wrong: String?
    func number(_ name: String) -> Int? {
      guard let text = text(name) else { return nil }
      if let number = Int(text), number >= 0 { return number }
      wrong = "demo_" + name.lowercased()
      return nil
    }
    delay = number("Delay").map { .milliseconds($0) }
    stall = number("Stall").map { .milliseconds($0) }
    fail = text("Fail")
    truncate = number("Truncate")
    chunk = number("Chunked")
    cacheControl = text("Cache")
    times = number("Times")
    key = text("Key")
    self.wrong = wrong
  }

  /// The response that replaces the real one; nil when the request asks for no failure.
  var replacement: DemoResponse? {
    if let wrong {
      let text = "\(wrong) must be a whole number from 0"
      return .json(["error": .string(text), "parameter": .string(wrong)], status: 400)
    }
    guard let fail else { return nil }
    var response: DemoResponse
    if let status = Int(fail), (200...599).contains(status) {
      response = .json(["error": "failed on request", "status": .int(status)], status: status)
    } else if fail == "drop" {
      response = DemoResponse()
      response.drops = true
    } else {
      let text = "demo_fail must be a status from 200 to 599, or drop"
      return .json(["error": .string(text), "parameter": "demo_fail"], status: 400)
    }
    return apply(to: response)
  }

  /// The response with the faults added.
  func apply(to response: DemoResponse) -> DemoResponse {
    var response = response
    if let delay { response.delay = delay }
    if let stall { response.stall = stall }
    if let truncate { response.cutAfter = truncate }
    if let chunk { response.framing = .chunked(size: max(1, chunk)) }
    if let cacheControl { response.headers["Cache-Control"] = cacheControl }
    return response
  }
}
