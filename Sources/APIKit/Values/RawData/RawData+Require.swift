extension RawData {
  /// The value as a type, or an error with the path, the expected and the found kind.
  ///
  /// ```swift
  /// let price = try row.price.require(Double.self)
  /// let name: String = try row.name.require()
  /// ```
  /// - Throws: An error with the stage `reform` and the reason ``APIError/Reason/unexpectedValue``, like
  ///   `items[3].price: expected a number, found a string`; ``APIError/quote`` has the value.
  @inlinable
  public func require<Leaf: RawLeaf>(_ type: Leaf.Type = Leaf.self) throws(APIError) -> Leaf {
    guard let leaf = Leaf(raw: self) else { throw unexpected(Leaf.expectation) }
    return leaf
  }

  /// The value as a type; nil when it is missing or null.
  ///
  /// - Throws: The same as ``require(_:)-(Leaf.Type)`` when the value is of another kind.
  @inlinable
  public func optional<Leaf: RawLeaf>(_ type: Leaf.Type = Leaf.self) throws(APIError) -> Leaf? {
    guard exists, !isNull else { return nil }
    return try require(type)
  }

  /// All elements of an array as a type.
  ///
  /// - Throws: The same as ``require(_:)-(Leaf.Type)``, for the value itself or for its first element that
  ///   is not of the type.
  @inlinable
  public func require<Leaf: RawLeaf>(arrayOf type: Leaf.Type) throws(APIError) -> [Leaf] {
    try require(.array)
    var leaves: [Leaf] = []
    leaves.reserveCapacity(count)
    for element in elements { leaves.append(try element.require(type)) }
    return leaves
  }

  /// This cursor, if its value is of the given kind.
  ///
  /// ```swift
  /// for row in try raw.items.require(.array).elements { … }
  /// ```
  /// In a document that was XML, an element that stands once is an array of one as well.
  /// - Throws: The same as ``require(_:)-(Leaf.Type)``.
  @discardableResult
  public func require(_ kind: Kind) throws(APIError) -> RawData {
    guard self.kind == kind || kind == .array && elements.count > 0 else { throw unexpected(kind.phrase) }
    return self
  }

  /// The error for a value other than the expected one; for reformers with rules of their own.
  ///
  /// - Parameter expectation: The expected value, with its article: `a date in the future`.
  @inline(never)
  public func unexpected(_ expectation: String) -> APIError {
    APIError(
      .reform, .unexpectedValue, "\(pathText): expected \(expectation), found \(summary)", quote: quotation)
  }
}

extension RawData.Kind {
  /// The kind with its article.
  var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    case .missing: "nothing"
    }
  }
}
