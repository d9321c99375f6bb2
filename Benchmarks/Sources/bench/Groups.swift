/// All groups, in the order they run. A new one is a file of its own and a line here.
///
/// Those that parse documents of 100 MB and store a million responses come last: the heap they leave behind slows
/// the others down.
let groups: [BenchGroup] = [
  pathGroup,
  flightGroup,
  monitorGroup,
  curlGroup,
  socketGroup,
  rawGroup,
  formsGroup,
  transferGroup,
  cacheGroup,
  countGroup,
  buildGroup,
]

/// Measurements that belong together.
struct BenchGroup: Sendable {
  /// The name for `--only`.
  let name: String
  /// One line for the table's head.
  let summary: String
  /// Whether it runs only when it is named: it takes minutes, or needs what few machines have.
  var isOnlyOnDemand = false
  /// Whether what it measures depends on what else the machine does.
  var isTimed = true
  /// Takes the measurements.
  let run: @Sendable (Measurement) async throws -> Void
}
