public import APIKit

/// Applies another reformer to every element of an array.
///
/// Checks after every 64 elements whether the task is cancelled, and throws `CancellationError` then.
public struct ListReformer<Element: Reformer>: Reformer {
  /// The rule for an element that cannot be reformed.
  public enum Damaged: Sendable {
    /// The list fails with the error of the element.
    case fails
    /// The element is left out.
    case isSkipped
  }

  private let element: Element
  private let paths: SourceTable<RawPath>
  private let damaged: Damaged

  /// Makes a reformer of the array at a path; the default is the data itself. A damaged element fails the
  /// list by default.
  public init(each element: Element, at path: RawPath = "", damaged: Damaged = .fails) {
    self.init(each: element, at: [.any: path], damaged: damaged)
  }

  /// Makes a reformer of an array whose path depends on the source; the first pattern that fits is used.
  public init(
    each element: Element, at paths: KeyValuePairs<SourcePattern, RawPath>, damaged: Damaged = .fails
  ) {
    self.element = element
    self.paths = SourceTable(paths)
    self.damaged = damaged
  }

  /// The outputs in order. Throws when there is no array at the path, and `APIError.Reason.misconfigured`
  /// for a source without a path.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> [Element.Output] {
    let list = try raw.at(try paths.value(for: source, what: "path of the list")).require(.array)
    var outputs: [Element.Output] = []
    outputs.reserveCapacity(list.elements.count)
    for (index, value) in list.elements.enumerated() {
      if index & 63 == 63 { try Task.checkCancellation() }
      do {
        outputs.append(try element.reform(value, from: source))
      } catch  where damaged == .isSkipped && !(error is CancellationError) {
        continue
      }
    }
    return outputs
  }
}
