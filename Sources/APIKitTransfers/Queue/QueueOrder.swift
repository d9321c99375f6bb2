import APIKit

/// Whether the items of one call can all be sent some day.
enum QueueOrder {
  /// The positions of entries that would wait for one another; nil when there are none.
  ///
  /// An entry waits for those it names, and for the one before it in its lane.
  static func cycle(in entries: [QueueStore.QueueEntry]) -> [Int]? {
    guard entries.contains(where: { !$0.afterEntries.isEmpty }) else { return nil }
    var parents = entries.map(\.afterEntries)
    var last: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      guard let lane = entry.lane else { continue }
      if let before = last.updateValue(index, forKey: lane) { parents[index].append(before) }
    }
    // Entries without parents are removed repeatedly; the entries that are left form a cycle.
    var left = parents.map(\.count)
    var children = [[Int]](repeating: [], count: entries.count)
    for (child, parents) in parents.enumerated() {
      for parent in parents {
        guard entries.indices.contains(parent) else { return [child, parent] }
        children[parent].append(child)
      }
    }
    var free = left.indices.filter { left[$0] == 0 }
    var count = 0
    while let next = free.popLast() {
      count += 1
      for child in children[next] {
        left[child] -= 1
        if left[child] == 0 { free.append(child) }
      }
    }
    guard count < entries.count else { return nil }
    // Each that is left waits for another one that is left: the way back comes to the circle, and then around it.
    var way: [Int] = []
    var places: [Int: Int] = [:]
    var at = left.firstIndex { $0 > 0 }
    while let index = at {
      if let first = places.updateValue(way.count, forKey: index) { return Array(way[first...]) }
      way.append(index)
      at = parents[index].first { left[$0] > 0 }
    }
    return way
  }
}
