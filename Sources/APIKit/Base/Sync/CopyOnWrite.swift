/// A value on the heap, copied when it is changed while shared.
///
/// For large values that many functions pass on. An `async` function reserves room in its frame for every
/// copy it may hold, so a path of ten steps over large structs takes a hundred kilobytes for each flight
/// under way. A boxed value takes one word in each place.
struct CopyOnWrite<Value: Sendable>: Sendable {
  /// `@unchecked`: `value` is changed only through a `CopyOnWrite` that holds the sole reference to its box, and
  /// changing that `CopyOnWrite` is exclusive by the language's own rule, so that the access needs no check of its own.
  private final class Box: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  /// The value; changing it copies a shared box first.
  var value: Value {
    get { box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { makeOwn() }
      yield &box.value
    }
  }

  /// Apart, since a large value within the accessor would be room that each caller from another module has to allocate.
  @inline(never) private mutating func makeOwn() { box = Box(box.value) }
}

extension CopyOnWrite: Equatable where Value: Equatable {
  static func == (left: Self, right: Self) -> Bool { left.box === right.box || left.value == right.value }
}

extension CopyOnWrite: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
