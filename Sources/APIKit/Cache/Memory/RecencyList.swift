/// The order in which the slots of an array were used. Every operation takes constant time.
///
/// The slots are its owner's; here are their links, by index.
package struct RecencyList: Sendable {
  private struct Link {
    var newer: Int32 = -1
    var older: Int32 = -1
  }

  private var links: [Link] = []
  private var newest: Int32 = -1
  private var last: Int32 = -1

  package init() {}

  /// The slot that was not used for the longest time; nil when there is none.
  package var oldest: Int32? { last < 0 ? nil : last }

  /// Adds a slot that is not in the list, as the one used last.
  package mutating func insert(_ index: Int32) {
    while links.count <= Int(index) { links.append(Link()) }
    links[Int(index)] = Link(newer: -1, older: newest)
    if newest >= 0 { links[Int(newest)].newer = index }
    newest = index
    if last < 0 { last = index }
  }

  /// A slot of the list was used.
  package mutating func touch(_ index: Int32) {
    guard newest != index else { return }
    remove(index)
    insert(index)
  }

  /// Takes a slot out of the list.
  package mutating func remove(_ index: Int32) {
    let link = links[Int(index)]
    if link.newer >= 0 { links[Int(link.newer)].older = link.older } else { newest = link.older }
    if link.older >= 0 { links[Int(link.older)].newer = link.newer } else { last = link.newer }
  }
}
