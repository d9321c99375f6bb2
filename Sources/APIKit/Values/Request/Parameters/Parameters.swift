/// The parameters of one call: named values in order.
///
/// A dictionary literal takes values of any `Encodable` type: text, numbers, dates, enums, arrays, structs.
/// An optional without a value leaves its name out; ``ParameterValue/null`` sends a null.
///
/// ```swift
/// homes.load(["city": city, "beds": 3, "tags": tags, "type": type])
/// homes.load(Search(city: city))
/// homes.load(["filter": Parameters(["city": city, "beds": 3])])  // an object of mixed kinds inside another
/// ```
/// A value that cannot be encoded refuses the load with ``APIError/Reason/unencodableParameter``.
///
/// Each name occurs once; setting it again keeps its position. Names are compared by their UTF-8, so é composed and
/// decomposed are two names. The order matters only when parameters are
/// sent or signed: two `Parameters` are equal when they contain the same pairs in any order.
public struct Parameters: Sendable {
  /// The pairs in order.
  public private(set) var pairs: [(name: String, value: ParameterValue)]
  /// The first value that could not be encoded; the load is refused with it.
  package private(set) var failure: APIError?

  /// No parameters.
  public init() { pairs = [] }

  /// Makes parameters from pairs in order. The last value of a repeated name is used, at the position of
  /// the first.
  public init(_ pairs: some Sequence<(String, ParameterValue)>) {
    self.pairs = []
    self.pairs.reserveCapacity(pairs.underestimatedCount)
    set(pairs.lazy.map { (name: $0.0, value: $0.1) })
    failure = self.pairs.lazy.compactMap(\.value.failure).first
  }

  /// The value of a name. Setting nil removes the name, while ``ParameterValue/null`` is a value that is
  /// sent.
  public subscript(name: String) -> ParameterValue? {
    get { pairs.first { $0.name.equalsExactly(name) }?.value }
    set {
      put(newValue, for: name)
      if failure == nil, let newValue { failure = newValue.failure }
    }
  }

  @inline(__always)
  private mutating func put(_ newValue: ParameterValue?, for name: String) {
    let index = pairs.firstIndex { $0.name.equalsExactly(name) }
    switch (index, newValue) {
    case (let index?, let value?): pairs[index].value = value
    case (let index?, nil): pairs.remove(at: index)
    case (nil, let value?): pairs.append((name, value))
    case (nil, nil): break
    }
  }

  /// Sets all pairs of `other`, which replace pairs of the same names.
  public mutating func merge(_ other: Parameters) {
    guard !isEmpty || failure != nil else { return self = other }
    failure = failure ?? other.failure
    pairs.reserveCapacity(pairs.count + other.pairs.count)
    set(other.pairs)
  }

  /// Sets pairs one after the other; many are found by an index of their names, for which few would not pay.
  private mutating func set(_ others: some Sequence<(name: String, value: ParameterValue)>) {
    var positions: [ExactText: Int] = [:]
    for (name, value) in others {
      guard pairs.count >= Self.mostScanned else {
        put(value, for: name)
        continue
      }
      if positions.isEmpty { positions = self.positions }
      if let position = positions[ExactText(name)] {
        pairs[position].value = value
      } else {
        positions[ExactText(name)] = pairs.count
        pairs.append((name, value))
      }
    }
  }

  /// How many names are compared one by one.
  private static let mostScanned = 32

  /// The position of each name.
  private var positions: [ExactText: Int] {
    var positions: [ExactText: Int] = [:]
    positions.reserveCapacity(count)
    for (position, pair) in pairs.enumerated() { positions[ExactText(pair.name)] = position }
    return positions
  }

  /// These parameters with all pairs of `other` set.
  public func merging(_ other: Parameters) -> Parameters {
    var merged = self
    merged.merge(other)
    return merged
  }

  /// The pairs whose names are not among `names`.
  public func removing(_ names: some Collection<String>) -> Parameters {
    var kept = self
    kept.pairs = pairs.filter { !names.containsExactly($0.name) }
    return kept
  }

  /// The same pairs, sorted by the bytes of their names.
  public func sorted() -> Parameters {
    var sorted = self
    sorted.pairs.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return sorted
  }

  /// The names in order.
  public var names: [String] { pairs.map(\.name) }
  /// The number of pairs.
  public var count: Int { pairs.count }
  /// Whether there are no pairs.
  public var isEmpty: Bool { pairs.isEmpty }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Pairs in the order written.
  public init(dictionaryLiteral elements: (String, any Encodable)...) {
    pairs = []
    pairs.reserveCapacity(elements.count)
    for (name, value) in elements {
      do throws(Unencodable) {
        if let value = try ParameterEncoder.encode(value) { put(value, for: name) }
      } catch {
        failure = failure ?? error.under(name).error(in: "a parameter")
      }
    }
  }

  /// Returns the parameters themselves. Write it for an object of mixed kinds inside a literal, which
  /// Swift would read as a dictionary.
  public init(_ parameters: Parameters) { self = parameters }

  /// The members of a value that encodes as an object, in the order in which it encodes them.
  ///
  /// A value that encodes as something else, or not at all, refuses the load with
  /// ``APIError/Reason/unencodableParameter``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - keys: How members are named; the default is as written. The keys of dictionaries stay as they are.
  public init(encoding value: some Encodable, keys: RawData.DecodingOptions.Keys = .asWritten) {
    self.init()
    do throws(Unencodable) {
      switch try ParameterEncoder.encode(value, keys: keys) {
      case .object(let parameters): self = parameters
      case nil: break
      default: throw Unencodable("\(type(of: value)) has no named members")
      }
    } catch {
      failure = error.error(in: "parameters")
    }
  }
}

extension Parameters: Hashable {
  /// Whether both contain the same pairs, in any order.
  public static func == (left: Parameters, right: Parameters) -> Bool {
    guard left.count == right.count else { return false }
    guard right.count > mostScanned else { return left.pairs.allSatisfy { right[$0.name] == $0.value } }
    let positions = right.positions
    return left.pairs.allSatisfy { pair in
      positions[ExactText(pair.name)].map { right.pairs[$0].value == pair.value } ?? false
    }
  }

  /// Hashes the pairs without regard to their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (name, value) in pairs {
      var one = Hasher()
      one.combine(ExactText(name))
      one.combine(value)
      sum = sum &+ one.finalize()
    }
    hasher.combine(sum)
  }
}

extension Parameters: Sequence {
  /// Iterates over the pairs in order.
  public func makeIterator() -> IndexingIterator<[(name: String, value: ParameterValue)]> {
    pairs.makeIterator()
  }
}
