/// What is wrong with a command line, and the way out.
struct UsageError: Error {
  /// What is wrong, and what to write in its place where that is known.
  let message: String
  /// The option that the command does not have, where this is the mistake.
  let unknownOption: String?

  init(_ message: String, unknownOption: String? = nil) {
    self.message = message
    self.unknownOption = unknownOption
  }
}

@MainActor
extension UsageError {
  /// A name that is no command's.
  static func noCommand(_ name: String) -> Self {
    let nearest = Nearest.name(to: name, of: DemoCLI.commands.map { $0.name })
    return Self("there is no command \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
  }

  /// The mistake with what to write in place of an option that the command does not have: the option of another
  /// command that does it, or else the nearest one.
  func advised(for command: any Command.Type) -> Self {
    guard let unknownOption else { return self }
    let own = command.allOptions.map { (line: $0.names[0], names: $0.names) }
    let others = DemoCLI.commands.flatMap { other in
      other.options.map { (line: "DemoCLI \(other.name) \($0.names[0])", names: $0.names) }
    }
    func line(of name: String, _ options: [(line: String, names: [String])]) -> String? {
      options.first { $0.names.contains(name) }?.line
    }
    if let line = line(of: unknownOption, others) { return Self("\(message); \(line) does it") }
    for options in [own, others] {
      if let name = Nearest.name(to: unknownOption, of: options.flatMap(\.names)),
        let line = line(of: name, options)
      {
        return Self("\(message); did you mean \(line)?")
      }
    }
    return self
  }
}
