/// All groups, in the order they run. A new one is a file of its own and a line here.
///
/// Those that parse documents of 100 MB and store a million answers come last: the heap they leave behind slows
/// the others down.
let groups: [BenchGroup] = [
  pathGroup,
  flightGroup,
  curlGroup,
  rawGroup,
  cacheGroup,
]
