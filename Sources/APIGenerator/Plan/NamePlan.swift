/// Gives operations and models their names: those of the user's list, those given before, then new ones in the order of
/// their pointers.
struct NamePlan {
  private var table: NameTable
  private let listed: [String: String]
  private let kept: [String: String]
  private let bases: [ObjectIdentifier: String]
  private let document: APIDocument
  /// All names, by what they are for; kept for the next run.
  private(set) var names: [String: String] = [:]
  private(set) var notes: [Note] = []

  /// - Parameters:
  ///   - listed: The names that the user wants, by pointer or by `GET /path`.
  ///   - kept: The names of an earlier run.
  ///   - reserved: Names that the service itself has.
  init(
    _ document: APIDocument, _ operations: [OperationPlan], listed: [String: String], kept: [String: String],
    reserved: [String]
  ) {
    self.document = document
    (self.listed, self.kept) = (listed, kept)
    // A name that is kept stays taken, even while its operation is not selected.
    table = NameTable(reserved + Array(listed.values) + Array(kept.values))
    bases = Dictionary(operations.map { (ObjectIdentifier($0.node), $0.baseName) }) { first, _ in first }
    // Names of what is not selected now are kept as well.
    names = kept
  }

  /// The name of a manager.
  mutating func className(of operation: OperationPlan) -> String {
    let base = operation.baseName.first?.isNumber == true ? "N" + operation.baseName : operation.baseName
    let suffix = SwiftNames.isTaken(base + "Manager") ? "OperationManager" : "Manager"
    return name(
      operation.key, listedAs: operation.pointer, at: operation.pointer, String(base.prefix(120)),
      suffix: suffix)
  }

  /// The name of a model.
  mutating func name(of model: Model) -> String {
    var suffix = ""
    switch model.direction {
    case .output: break
    case .input: suffix = "Input"
    case .patch: suffix = "Change"
    }
    let wanted = Words.typeName(String(words(of: model.node).prefix(120)) + suffix)
    return name(model.key, listedAs: model.listedKey, at: model.pointer, wanted)
  }

  private mutating func name(
    _ key: String, listedAs listedKey: String, at pointer: String, _ wanted: String, suffix: String = ""
  ) -> String {
    if let name = listed[key] ?? listed[listedKey] {
      names[key] = name
      return name
    }
    let name = kept[key] ?? table.unique(wanted, suffix: suffix)
    if name != wanted + suffix {
      notes.append(
        Note(
          pointer: pointer, reason: "the name \(wanted)\(suffix) was taken, or another one is kept",
          advice: "it is \(name); `--names` gives it another"))
    }
    names[key] = name
    return name
  }

  /// What a schema is named after: the component or the operation that it is in, and the way from there.
  private func words(of node: JSONNode) -> String {
    var way: [JSONNode] = []
    var current: JSONNode? = node
    while let next = current {
      way.append(next)
      if bases[ObjectIdentifier(next)] != nil { break }
      current = next.parent
    }
    way.reverse()
    var result = bases[ObjectIdentifier(way[0])] ?? ""
    var index = 1
    var isInComponents = false
    while index < way.count {
      guard case .name(let step) = way[index].step else {
        index += 1
        continue
      }
      let isLast = index == way.count - 1
      func next() -> String {
        index += 1
        guard index < way.count else { return "" }
        switch way[index].step {
        case .name(let name): return Words.type(name)
        case .index(let position): return String(position + 1)
        case .root: return ""
        }
      }
      switch step {
      case "components":
        isInComponents = true
        index += 1
        result += next()
      case "paths" where !isInComponents && result.isEmpty: result += next()
      case "properties": result += next()
      case "items": result += "Item"
      case "additionalProperties": result += "Value"
      case "allOf": result += "Part" + next()
      case "oneOf", "anyOf": result += "Option" + next()
      case "parameters":
        _ = next()
        if index < way.count, let name = document.resolve(way[index])?["name"]?.string {
          result += Words.type(name)
        }
      case "content": _ = next()
      case "schema": break
      case "requestBody":
        result +=
          way[index...].contains { if case .name("properties") = $0.step { true } else { false } }
          ? "" : "Body"
      case "responses":
        let status = next()
        if !way[index...].contains(where: { if case .name("properties") = $0.step { true } else { false } }) {
          result +=
            status.first == "4" || status.first == "5" || status == "Default"
            ? "Failure" + (status == "Default" ? "" : status) : "Output"
        }
      default: if !isLast || result.isEmpty { result += Words.type(step) }
      }
      index += 1
    }
    return result
  }
}
