/// The latest elements, at most so many: when there is no room, a new one replaces the oldest.
package struct LatestRing<Element> {
  /// How many elements there are at most; 0 keeps none.
  let capacity: Int
  /// In no particular order.
  private(set) var elements: [Element] = []
  private var next = 0

  /// Makes a ring of the latest of some elements; none by default.
  package init(capacity: Int, _ elements: [Element] = []) {
    self.capacity = max(0, capacity)
    self.elements = elements.suffix(max(0, capacity))
  }

  /// The oldest element; nil when there is none.
  var oldest: Element? { elements.isEmpty ? nil : elements[next] }
  /// The one that was added last; nil when there is none.
  var newest: Element? { next == 0 ? elements.last : elements[next - 1] }

  /// The elements, oldest first.
  package var ordered: [Element] { Array(elements[next...] + elements[..<next]) }

  /// Adds an element. Returns the one that it replaces, to be released outside a lock.
  @discardableResult package mutating func append(_ element: Element) -> Element? {
    guard capacity > 0 else { return nil }
    guard elements.count == capacity else {
      elements.append(element)
      return nil
    }
    let oldest = elements[next]
    elements[next] = element
    next = (next + 1) % capacity
    return oldest
  }
}
