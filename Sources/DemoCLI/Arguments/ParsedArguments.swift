/// The words of a command line, sorted into options and operands.
struct ParsedArguments: Sendable {
  private var values: [String: [String]] = [:]
  /// The name that each option has on the command line, by its first one.
  private var given: [String: String] = [:]
  private(set) var operands: [String] = []

  /// Parses words by the known options: `--name value`, `--name=value`, `--name`.
  ///
  /// After `--` all words are operands. An operand in brackets may be missing, and one that ends with `...]` may be given any
  /// number of times. Throws for unknown options, missing and unexpected values, options given twice that are not
  /// repeatable, and more or fewer operands than are named.
  init(_ words: [String], options: [Option], operands names: [String]) throws(UsageError) {
    var rest = words[...]
    var isOperandsOnly = false
    while let word = rest.popFirst() {
      if !isOperandsOnly, word == "--" {
        isOperandsOnly = true
      } else if isOperandsOnly || !word.hasPrefix("-") || word == "-" {
        operands.append(word)
      } else {
        try take(word, &rest, of: options)
      }
    }
    let isOptional = names.last?.hasPrefix("[") == true
    guard operands.count <= names.count || names.last?.hasSuffix("...]") == true else {
      throw UsageError("\(operands[names.count]) is one word too many")
    }
    guard operands.count >= names.count - (isOptional ? 1 : 0) else {
      throw UsageError("\(names[operands.count]) is missing")
    }
  }

  private mutating func take(
    _ word: String, _ rest: inout ArraySlice<String>, of options: [Option]
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { $0.names.contains(name) }) else {
      throw UsageError("there is no option \(name)", unknownOption: name)
    }
    let key = option.names[0]
    guard values[key] == nil || option.isRepeatable else { throw UsageError("\(name) is given twice") }
    given[key] = name
    if option.value == nil {
      guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
      values[key] = [""]
    } else if parts.count == 2 {
      values[key, default: []].append(String(parts[1]))
    } else {
      guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
      values[key, default: []].append(value)
    }
  }

  /// Whether an option is given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option; nil when it is not given.
  func text(_ name: String) -> String? { values[name]?.last }

  /// The values of a repeatable option, in order.
  func texts(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of an option as a whole number in a range; nil when it is not given.
  func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw UsageError(
        "\(given[name] ?? name) must be a whole number from \(range.lowerBound)\(most), not \(text)")
    }
    return number
  }

  /// The value of an option as one of several names; nil when it is not given.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Choice.Type = Choice.self
  ) throws(UsageError) -> Choice? where Choice.RawValue == String {
    guard let text = text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue)
      throw UsageError(
        "\(name) must be \(known.dropLast().joined(separator: ", ")) or \(known.last ?? ""), not \(text)")
    }
    return choice
  }

  /// The value of an option that names a file to be written; nil when it is not given. Nothing is written here.
  ///
  /// Throws where it cannot be written, so that a command fails before it has sent anything.
  func outputFile(_ name: String) throws(UsageError) -> String? {
    guard let path = text(name) else { return nil }
    try OutputFile.check(path, name)
    return path
  }
}
