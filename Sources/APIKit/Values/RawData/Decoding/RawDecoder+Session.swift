extension RawDecoder {
  /// The state that all decoders of one `decode(as:)` share.
  final class Session {
    /// Of how many types something is remembered.
    private static var typeLimit: Int { 24 }

    let options: RawData.DecodingOptions
    /// The value where decoding began; all cursors of a session are in its document.
    let root: RawData
    let document: RawDocument
    /// The snake case of the coding keys used so far.
    private var snakeCase: [ExactText: String] = [:]
    private let orders: UnsafeMutablePointer<RawMemberOrder>
    private var orderCount = 0
    /// The types that were met, of values and of coding keys, and which of them are arrays.
    private let known: UnsafeMutablePointer<(type: ObjectIdentifier, isArray: Bool)>
    private var knownCount = 0

    init(options: RawData.DecodingOptions, root: RawData) {
      self.options = options
      self.root = root
      document = root.document
      orders = .allocate(capacity: Self.typeLimit)
      known = .allocate(capacity: Self.typeLimit)
    }

    deinit {
      for index in 0..<orderCount { orders[index].free() }
      orders.deallocate()
      known.deallocate()
    }

    @inline(__always)
    func raw(_ code: Int) -> RawData { RawData(document, code) }

    func codingPath(to code: Int) -> [any CodingKey] {
      raw(code).path.steps.dropFirst(root.path.steps.count).map { RawCodingKey(step: $0) }
    }
  }
}

extension RawDecoder.Session {
  /// Whether a type is an array. What a cast says is remembered, since it takes as long as a leaf.
  func isArray<Value>(_ type: Value.Type) -> Bool {
    let id = ObjectIdentifier(type)
    if let isArray = note(of: id) { return isArray }
    let isArray = type is any RawArray.Type
    remember(id, isArray: isArray)
    return isArray
  }

  @inline(__always)
  private func note(of type: ObjectIdentifier) -> Bool? {
    var index = 0
    while index < knownCount {
      if known[index].type == type { return known[index].isArray }
      index += 1
    }
    return nil
  }

  private func remember(_ type: ObjectIdentifier, isArray: Bool) {
    guard knownCount < Self.typeLimit else { return }
    (known + knownCount).initialize(to: (type, isArray))
    knownCount += 1
  }
}

// MARK: Looking up

extension RawDecoder.Session {
  /// The order for an object that is read by a type of coding keys; nil when none is remembered.
  func order(of keys: ObjectIdentifier, for object: Int) -> UnsafeMutablePointer<RawMemberOrder>? {
    guard document.node(object).length <= RawIndexes.threshold else { return nil }
    var index = 0
    while index < orderCount {
      if orders[index].keys == keys {
        orders[index].move(to: object, in: document)
        return orders + index
      }
      index += 1
    }
    return newOrder(of: keys, for: object)
  }

  /// The order for the second object that is read by a type of coding keys: one object alone needs none.
  @inline(never)
  private func newOrder(
    of keys: ObjectIdentifier, for object: Int
  ) -> UnsafeMutablePointer<RawMemberOrder>? {
    guard note(of: keys) != nil else {
      remember(keys, isArray: false)
      return nil
    }
    guard orderCount < Self.typeLimit else { return nil }
    let order = orders + orderCount
    order.initialize(to: RawMemberOrder(keys: keys))
    order.pointee.move(to: object, in: document)
    orderCount += 1
    return order
  }

  /// The tape index of the value of a member; -1 when there is none.
  @inline(never)
  func search(
    _ key: String, in object: Int, _ keys: RawData.DecodingOptions.Keys,
    _ order: UnsafeMutablePointer<RawMemberOrder>?
  ) -> Int {
    guard let order else { return search(key, in: object, keys) }
    order.pointee.move(to: object, in: document)
    return order.pointee.value(of: key) { search($0, in: object, keys) }
  }

  private func search(_ key: String, in object: Int, _ keys: RawData.DecodingOptions.Keys) -> Int {
    let index = document.value(of: key, in: object)
    return index >= 0 || keys == .asWritten ? index : searchSnakeCase(key, in: object)
  }

  /// The member with the key in snake case; otherwise one whose name in camel case is the key, such as
  /// `address_1` for `address1`.
  private func searchSnakeCase(_ key: String, in object: Int) -> Int {
    let name: String
    if let known = snakeCase[ExactText(key)] {
      name = known
    } else {
      name = RawKeyCase.snakeCase(key)
      snakeCase[ExactText(key)] = name
    }
    let index = document.value(of: name, in: object)
    if index >= 0 { return index }
    var found = -1
    for (name, value) in raw(object).members where RawKeyCase.camelCase(name).equalsExactly(key) {
      found = value.code
    }
    return found
  }
}
