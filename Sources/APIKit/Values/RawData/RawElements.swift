extension RawData {
  /// The elements of an array in order; empty for everything else. Iterating allocates nothing.
  ///
  /// In a document that was XML, an element that stands once is an array of one.
  public var elements: RawElements { RawElements(of: self) }

  /// The members of an object in the order of the document; empty for everything else.
  ///
  /// Members with the same name all occur. A name of up to 15 bytes is created without an allocation; for
  /// longer names see ``RawMembers/inPlace``.
  public var members: RawMembers { RawMembers(of: self) }

  /// The names of an object's members in the order of the document; empty for everything else.
  public var keys: [String] { members.map(\.key) }

  /// The tape indexes of the children of an array or an object; empty for other values.
  @inline(__always)
  fileprivate func children(of tag: RawNode.Tag) -> Range<Int> {
    existing?.tag == tag ? code + 2..<document.end(of: code) : 0..<0
  }

  /// The tape indexes of the elements.
  @inline(__always)
  fileprivate var elementChildren: Range<Int> {
    let children = children(of: .array)
    guard children.isEmpty, exists, document.isXML, node.tag != .array else { return children }
    return code..<document.next(after: code)
  }
}

/// The elements of an array, see ``RawData/elements``.
public struct RawElements: Sequence, Sendable {
  private let container: RawData

  init(of container: RawData) { self.container = container }

  /// The number of elements.
  public var count: Int {
    guard container.existing?.tag != .array else { return container.count }
    return container.exists && container.document.isXML ? 1 : 0
  }

  /// The exact number of elements.
  public var underestimatedCount: Int { count }

  /// An iterator over the elements.
  public func makeIterator() -> Iterator {
    let children = container.elementChildren
    return Iterator(document: container.document, index: children.lowerBound, end: children.upperBound)
  }

  /// Follows the skip links from one element to the next.
  public struct Iterator: IteratorProtocol, Sendable {
    let document: RawDocument
    var index: Int
    let end: Int

    /// The next element.
    @inline(__always)
    public mutating func next() -> RawData? {
      guard index < end else { return nil }
      defer { index = document.next(after: index) }
      return RawData(document, index)
    }
  }
}

/// The members of an object, see ``RawData/members``.
public struct RawMembers: Sequence, Sendable {
  private let container: RawData

  init(of container: RawData) { self.container = container }

  /// The number of members.
  public var count: Int { container.existing?.tag == .object ? container.count : 0 }

  /// The exact number of members.
  public var underestimatedCount: Int { count }

  /// The members with their names as cursors, which can be compared by ``RawData/equals(_:)`` or read.
  /// Iterating allocates nothing.
  public var inPlace: InPlace { InPlace(container: container) }

  /// An iterator over the members.
  public func makeIterator() -> Iterator { Iterator(base: inPlace.makeIterator()) }

  /// Returns the members and creates their names.
  public struct Iterator: IteratorProtocol, Sendable {
    var base: InPlace.Iterator

    /// The next member.
    public mutating func next() -> (key: String, value: RawData)? {
      guard let (key, value) = base.next() else { return nil }
      return (key.string ?? "", value)
    }
  }

  /// The members with their names as cursors, see ``RawMembers/inPlace``.
  public struct InPlace: Sequence, Sendable {
    let container: RawData

    /// An iterator over the members.
    public func makeIterator() -> Iterator {
      let children = container.children(of: .object)
      return Iterator(document: container.document, index: children.lowerBound, end: children.upperBound)
    }

    /// Follows the skip links from one member to the next.
    public struct Iterator: IteratorProtocol, Sendable {
      let document: RawDocument
      var index: Int
      let end: Int

      /// The next member.
      @inline(__always)
      public mutating func next() -> (key: RawData, value: RawData)? {
        guard index < end else { return nil }
        let key = index
        index = document.next(after: key + 1)
        return (RawData(document, key), RawData(document, key + 1))
      }
    }
  }
}
