public import APIKit

/// Passes the output of a reformer to a function: `rows.then { rows, _ in rows.count }`.
public struct ChainReformer<First: Reformer, Output: Sendable>: Reformer {
  private let first: First
  private let next: @Sendable (First.Output, ReformSource) throws -> Output

  /// Makes a chain. The function runs wherever the reformer is called.
  public init(
    _ first: First, then next: @escaping @Sendable (First.Output, ReformSource) throws -> Output
  ) {
    self.first = first
    self.next = next
  }

  /// The result of the function. Throws the error of the reformer or the function.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    try next(try first.reform(raw, from: source), source)
  }
}

extension Reformer {
  /// This reformer, followed by a function that gets its output.
  public func then<Next: Sendable>(
    _ next: @escaping @Sendable (Output, ReformSource) throws -> Next
  ) -> ChainReformer<Self, Next> {
    ChainReformer(self, then: next)
  }
}

/// Tries several reformers in order: for an API that has changed its shape, or wraps errors in another one.
///
/// Its output is that of the first reformer that does not throw. When all throw, it throws
/// `APIError.Reason.reformFailed`, whose detail has the error of each. `CancellationError` is thrown at
/// once.
public struct FirstOfReformer<Output: Sendable>: Reformer {
  private let candidates: [any Reformer<Output>]

  /// Makes a reformer of candidates, in the order in which they are tried.
  public init(_ candidates: any Reformer<Output>...) { self.candidates = candidates }

  /// The output of the first candidate that does not throw.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    var complaints: [String] = []
    for candidate in candidates {
      do {
        return try candidate.reform(raw, from: source)
      } catch let error as CancellationError {
        throw error
      } catch let error as APIError {
        complaints.append(error.detail)
      } catch {
        complaints.append("\(type(of: candidate)) threw \(type(of: error))")
      }
    }
    throw APIError(
      .reform, .reformFailed,
      "none of \(candidates.count) reformers fits: \(complaints.joined(separator: "; "))")
  }
}

/// A reformer made of a closure, for code that is too small for a type of its own.
public struct ClosureReformer<Output: Sendable>: Reformer {
  private let body: @Sendable (RawData, ReformSource) throws -> Output

  /// Makes a reformer of a closure, which runs wherever the reformer is called.
  public init(_ body: @escaping @Sendable (RawData, ReformSource) throws -> Output) { self.body = body }

  /// The result of the closure.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output { try body(raw, source) }
}
