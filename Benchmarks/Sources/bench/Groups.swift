/// All groups, in the order they run. A new one is a file of its own and a line here.
let groups: [BenchGroup] = [
  rawGroup,
  pathGroup,
  curlGroup,
  cacheGroup,
  flightGroup,
]
