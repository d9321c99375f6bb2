public import APIKit

/// Passes the output of one reformer on to a function: `rows.then { rows, _ in rows.count }`.
public struct ChainReformer<First: Reformer, Output: Sendable>: Reformer {
  private let first: First
  private let next: @Sendable (First.Output, ReformSource) throws -> Output

  /// Makes a chain.
  public init(
    _ first: First, then next: @escaping @Sendable (First.Output, ReformSource) throws -> Output
  ) {
    self.first = first
    self.next = next
  }

  /// The function's output.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output {
    try next(try first.reform(raw, from: source), source)
  }
}

extension Reformer {
  /// This reformer, its output passed on to a function.
  public func then<Next: Sendable>(
    _ next: @escaping @Sendable (Output, ReformSource) throws -> Next
  ) -> ChainReformer<Self, Next> {
    ChainReformer(self, then: next)
  }
}

/// Tries one reformer after the other: for an API that changed its shape, or wraps errors its own way.
///
/// The output of the first that does not throw counts. When all throw, the error tells each complaint.
/// Cancellation is passed on at once.
public struct FirstOfReformer<Output: Sendable>: Reformer {
  private let candidates: [any Reformer<Output>]

  /// Makes a reformer of candidates in order.
  public init(_ candidates: any Reformer<Output>...) { self.candidates = candidates }

  /// The first output.
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

/// A reformer written as a closure, for what is too small for a type of its own.
public struct ClosureReformer<Output: Sendable>: Reformer {
  private let body: @Sendable (RawData, ReformSource) throws -> Output

  /// Makes a reformer of a closure.
  public init(_ body: @escaping @Sendable (RawData, ReformSource) throws -> Output) { self.body = body }

  /// What the closure returns.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Output { try body(raw, source) }
}
