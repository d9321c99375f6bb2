public import APIKit

/// Damages a recorded answer key by key and reports what a reformer makes of it.
///
/// For each member of the answer, one at a time: it is removed, set to null, and given each other kind of
/// value. The reformer must survive all of that, and the report shows which damage it throws for, which it
/// stands in for with a default, and which it does not notice because it does not read the key.
///
/// ```swift
/// let report = ReformerContract(RentListReformer(), recorded: raw, source: source).run()
/// XCTAssertEqual(report.verdict(at: "items[0].price", .removed), .threw)
/// ```
/// A crash of the reformer takes the process with it, unless the run is isolated: see
/// ``run(isolatedBy:)``.
public struct ReformerContract<Subject: Reformer>: Sendable {
  private let reformer: Subject
  let recordedResponse: RawData
  private let source: ReformSource
  /// Of each array, so many elements are damaged; the others are like them. The default is 2.
  public var elementsPerArray = 2

  /// Makes a contract test.
  ///
  /// - Parameters:
  ///   - reformer: What is tested.
  ///   - recorded: An answer of the real API that the reformer takes.
  ///   - source: Where the answer came from.
  public init(_ reformer: Subject, recorded: RawData, source: ReformSource) {
    self.reformer = reformer
    recordedResponse = recorded
    self.source = source
  }

  /// Every damage, in the order of the answer.
  public var damages: [Damage] {
    paths(in: recordedResponse, at: []).flatMap { path in
      let kind = recordedResponse.at(RawPath(steps: path)).kind
      let others = Damage.stand.filter { $0.kind != kind }.map { Damage.How.became($0) }
      let nulled: [Damage.How] = kind == .null ? [] : [.nulled]
      return ([.removed] + nulled + others).map { Damage(path: RawPath(steps: path), how: $0) }
    }
  }

  /// Tries every damage in this process.
  public func run() -> ContractReport {
    let intact = outcome(of: recordedResponse)
    guard case .success(let intact) = intact else {
      return ContractReport(findings: [], intactError: intact.failureText)
    }
    return ContractReport(findings: damages.map { finding(of: $0, intact: intact) }, intactError: nil)
  }

  /// What comes of one damage.
  func finding(of damage: Damage, intact: String) -> ContractReport.Finding {
    switch outcome(of: damage.applied(to: recordedResponse)) {
    case .failure(let error):
      return ContractReport.Finding(damage: damage, verdict: .threw, text: describe(error))
    case .success(let output):
      let verdict: ContractReport.Verdict = output == intact ? .unnoticed : .defaulted
      return ContractReport.Finding(damage: damage, verdict: verdict, text: "")
    }
  }

  /// The output as a text, which can be compared whatever its type is.
  func outcome(of raw: RawData) -> Result<String, any Error> {
    Result { String(reflecting: try reformer.reform(raw, from: source)) }
  }

  private func describe(_ error: any Error) -> String { (error as? APIError)?.detail ?? "\(error)" }

  private func paths(in raw: RawData, at path: [RawPath.Step]) -> [[RawPath.Step]] {
    var found: [[RawPath.Step]] = []
    for key in Set(raw.keys).sorted() {
      let inner = path + [.key(key)]
      found += [inner] + paths(in: raw[key], at: inner)
    }
    for (index, element) in raw.elements.enumerated().prefix(elementsPerArray) {
      let inner = path + [.index(index)]
      found += [inner] + paths(in: element, at: inner)
    }
    return found
  }
}

/// One thing done to one value of an answer.
public struct Damage: Sendable, Hashable, CustomStringConvertible {
  /// What is done.
  public enum How: Sendable, Hashable, CustomStringConvertible {
    /// The member, or the element, is no longer there.
    case removed
    /// It is null.
    case nulled
    /// It is a value of another kind.
    case became(Stand)

    /// `removed`, `nulled`, `became a string`.
    public var description: String {
      switch self {
      case .removed: "removed"
      case .nulled: "nulled"
      case .became(let stand): "became \(stand.rawValue)"
      }
    }
  }

  /// A value put in the place of one of another kind.
  public enum Stand: String, Sendable, Hashable {
    /// The text `damaged`.
    case string = "a string"
    /// The number -1.
    case number = "a number"
    /// True.
    case bool = "true"
    /// An empty array.
    case array = "an array"
    /// An empty object.
    case object = "an object"

    var kind: RawData.Kind {
      switch self {
      case .string: .string
      case .number: .number
      case .bool: .bool
      case .array: .array
      case .object: .object
      }
    }

    var json: String {
      switch self {
      case .string: "\"damaged\""
      case .number: "-1"
      case .bool: "true"
      case .array: "[]"
      case .object: "{}"
      }
    }
  }

  static let stand: [Stand] = [.string, .number, .bool, .array, .object]

  /// Where the value stands.
  public let path: RawPath
  /// What is done to it.
  public let how: How

  /// `items[0].price removed`.
  public var description: String { "\(path) \(how)" }

  /// The answer with this damage.
  func applied(to raw: RawData) -> RawData {
    let text = Self.text(of: raw, damaged: path.steps[...], how) ?? "null"
    // What is written here is JSON: pieces of a document that was parsed, between its own brackets.
    return (try? RawData(parsing: text)) ?? raw
  }

  /// The JSON text of a value with the damage at the end of the steps; nil when the value itself goes.
  private static func text(of raw: RawData, damaged steps: ArraySlice<RawPath.Step>, _ how: How) -> String? {
    guard let step = steps.first else {
      switch how {
      case .removed: return nil
      case .nulled: return "null"
      case .became(let stand): return stand.json
      }
    }
    switch step {
    case .key(let name):
      let members = raw.members.compactMap { key, value -> String? in
        let inner = key == name ? text(of: value, damaged: steps.dropFirst(), how) : value.jsonText()
        return inner.map { "\(RawData(stringLiteral: key).jsonText()):\($0)" }
      }
      return "{\(members.joined(separator: ","))}"
    case .index(let position):
      let elements = raw.elements.enumerated().compactMap { index, value in
        index == position ? text(of: value, damaged: steps.dropFirst(), how) : value.jsonText()
      }
      return "[\(elements.joined(separator: ","))]"
    }
  }
}

extension Result {
  fileprivate var failureText: String? {
    if case .failure(let error) = self { (error as? APIError)?.detail ?? "\(error)" } else { nil }
  }
}
