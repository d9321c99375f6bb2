public import APIKit

/// Changes a recorded response value by value and reports the effect on a reformer.
///
/// Each member of the response is removed, set to null, and replaced by a value of each other kind, one
/// change at a time. The reformer must not crash. The report shows for which changes it throws, uses a
/// default, or notices nothing because it does not read the value.
///
/// ```swift
/// let report = ReformerContract(RentListReformer(), recorded: raw, source: source).run()
/// XCTAssertEqual(report.verdict(at: "items[0].price", .removed), .threw)
/// ```
/// A crash of the reformer ends the process, unless the run is isolated: see ``run(isolatedBy:)``.
public struct ReformerContract<Subject: Reformer>: Sendable {
  private let reformer: Subject
  let recordedResponse: RawData
  private let source: ReformSource
  /// The number of elements of each array that are changed, from its start; the default is 2.
  public var elementsPerArray = 2

  /// Makes a contract.
  ///
  /// - Parameters:
  ///   - reformer: The reformer to test.
  ///   - recorded: A response of the real API that the reformer accepts.
  ///   - source: The source of the response, as the reformer gets it.
  public init(_ reformer: Subject, recorded: RawData, source: ReformSource) {
    self.reformer = reformer
    recordedResponse = recorded
    self.source = source
  }

  /// Every change, object members in the order of their names, array elements in order.
  public var damages: [Damage] {
    paths(in: recordedResponse, at: []).flatMap { path in
      let kind = recordedResponse.at(RawPath(steps: path)).kind
      let others = Damage.stand.filter { $0.kind != kind }.map { Damage.How.became($0) }
      let nulled: [Damage.How] = kind == .null ? [] : [.nulled]
      return ([.removed] + nulled + others).map { Damage(path: RawPath(steps: path), how: $0) }
    }
  }

  /// Tries every change in this process, on the calling thread.
  public func run() -> ContractReport {
    switch outcome(of: recordedResponse) {
    case .failure(let error): ContractReport(findings: [], intactError: describe(error))
    case .success(let intact):
      ContractReport(findings: damages.map { finding(of: $0, intact: intact) }, intactError: nil)
    }
  }

  /// The result of one change.
  func finding(of damage: Damage, intact: String) -> ContractReport.Finding {
    switch outcome(of: damage.applied(to: recordedResponse)) {
    case .failure(let error):
      return ContractReport.Finding(damage: damage, verdict: .threw, text: describe(error))
    case .success(let output):
      let verdict: ContractReport.Verdict = output == intact ? .unnoticed : .defaulted
      return ContractReport.Finding(damage: damage, verdict: verdict, text: "")
    }
  }

  /// The output as text, which can be compared for any type.
  func outcome(of raw: RawData) -> Result<String, any Error> {
    Result { String(reflecting: try reformer.reform(raw, from: source)) }
  }

  func describe(_ error: any Error) -> String { (error as? APIError)?.detail ?? "\(error)" }

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

/// One change of one value of a response.
public struct Damage: Sendable, Hashable, CustomStringConvertible {
  /// The kind of change.
  public enum How: Sendable, Hashable, CustomStringConvertible {
    /// The member or element is removed.
    case removed
    /// It is set to null.
    case nulled
    /// It is replaced by a value of another kind.
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

  /// A value that replaces one of another kind.
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

  /// The path of the value.
  public let path: RawPath
  /// The kind of change.
  public let how: How

  /// `items[0].price removed`.
  public var description: String { "\(path) \(how)" }

  /// The response with this change.
  func applied(to raw: RawData) -> RawData {
    let text = Self.text(of: raw, damaged: path.steps[...], how) ?? "null"
    // The text is valid JSON: it is made of parts of a parsed document and of brackets.
    return (try? RawData(parsing: text)) ?? raw
  }

  /// The JSON text of a value with the change at the end of the steps; nil when the value itself is
  /// removed.
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
