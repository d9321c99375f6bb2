#if os(Linux) || os(macOS)
  import APIKit
  public import Foundation

  /// The command that starts the program again as a child process, which tries the changes, so that a
  /// crash ends the child and not the test.
  public struct ContractChild: Sendable {
    /// The program to start.
    public var executable: URL
    /// Arguments that make it reach the same ``ReformerContract/run(isolatedBy:)`` again.
    public var arguments: [String]
    /// The time after which a child is killed and counts as crashed. The default is 60 seconds;
    /// fractions of a second are ignored.
    public var limit: Duration = .seconds(60)

    /// Makes a description of a child of any program.
    public init(executable: URL, arguments: [String]) {
      self.executable = executable
      self.arguments = arguments
    }

    /// A child that runs one XCTest method of this test bundle.
    ///
    /// - Parameters:
    ///   - module: The test target, such as `ReformersTests`. Not used on macOS.
    ///   - test: Class and method, such as `RentContractTests/testTheContractIsKept`.
    public static func xctest(module: String, test: String) -> ContractChild {
      let executable = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
      #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
        return ContractChild(executable: executable, arguments: ["-XCTest", test, bundle])
      #else
        return ContractChild(executable: executable, arguments: ["\(module).\(test)"])
      #endif
    }
  }

  extension ReformerContract {
    /// Tries every change in child processes, so that a change that crashes the reformer is reported.
    ///
    /// The child is this program, started again. It must reach this call, tries the changes there and
    /// exits. One child tries all changes; after each crash another one continues. Blocks the calling
    /// thread while a child runs. Available on Linux and macOS.
    /// - Throws: An `APIError` when the child does not reach this call, or the system's error when it
    ///   cannot be started.
    public func run(isolatedBy child: ContractChild) throws -> ContractReport {
      if let order = ContractOrder.ofThisProcess {
        guard order.contract == name else {
          return ContractReport(findings: [], intactError: nil)
        }
        obey(order)
      }
      let damages = damages
      var findings: [ContractReport.Finding] = []
      repeat {
        let order = ContractOrder(contract: name, start: findings.count)
        defer { order.removeFile() }
        let end = try order.give(to: child)
        let lines = order.lines
        guard let first = lines.first else {
          throw APIError(
            .reform, .reformFailed,
            "the child (\(child.executable.lastPathComponent) \(child.arguments.joined(separator: " "))) \(end) "
              + "and never reached the contract of \(Subject.self)")
        }
        guard first == ContractOrder.ready else { return ContractReport(findings: [], intactError: first) }
        for (line, damage) in zip(lines.dropFirst(), damages.dropFirst(findings.count)) {
          let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
          guard parts.count == 2, let verdict = ContractReport.Verdict(rawValue: String(parts[0])) else {
            break
          }
          findings.append(ContractReport.Finding(damage: damage, verdict: verdict, text: String(parts[1])))
        }
        if findings.count < damages.count {
          findings.append(
            ContractReport.Finding(
              damage: damages[findings.count], verdict: .crashed, text: "the child \(end)"))
        }
      } while findings.count < damages.count
      return ContractReport(findings: findings, intactError: nil)
    }

    /// Tells it from another contract of the same reformer that the child reaches on its way.
    private var name: String {
      "\(Subject.self) \(elementsPerArray) \(Checksum.of(recordedResponse.jsonText(canonical: true)))"
    }

    /// Runs in the child: tries the changes from the given start on and writes the result of each.
    private func obey(_ order: ContractOrder) -> Never {
      switch outcome(of: recordedResponse) {
      case .failure(let error): order.write(order.plain(describe(error)))
      case .success(let intact):
        order.write(ContractOrder.ready)
        for damage in damages.dropFirst(order.start) {
          let finding = finding(of: damage, intact: intact)
          order.write("\(finding.verdict.rawValue)\t\(order.plain(finding.text))")
        }
      }
      exit(0)
    }
  }

  /// What a parent passes to its child in an environment variable, and the file that the child writes its
  /// results to.
  private struct ContractOrder {
    static let variable = "APIKIT_REFORMER_CONTRACT"
    static let ready = "ready"

    let contract: String
    let start: Int
    let path: String

    init(contract: String, start: Int) {
      self.contract = contract
      self.start = start
      path =
        FileManager.default.temporaryDirectory
        .appendingPathComponent("reformer-contract-\(UUID().uuidString)").path
    }

    /// The order that this process was started with; nil when it is not a child.
    static var ofThisProcess: ContractOrder? {
      let parts = ProcessInfo.processInfo.environment[variable]?.split(separator: "\n") ?? []
      guard parts.count == 3, let start = Int(parts[1]) else { return nil }
      return ContractOrder(contract: String(parts[0]), start: start, path: String(parts[2]))
    }

    private init(contract: String, start: Int, path: String) {
      self.contract = contract
      self.start = start
      self.path = path
    }

    /// Starts the child, waits for its end and returns how it ended.
    func give(to child: ContractChild) throws -> String {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let process = Process()
      process.executableURL = child.executable
      process.arguments = child.arguments
      process.environment = ProcessInfo.processInfo.environment.merging(
        [Self.variable: "\(contract)\n\(start)\n\(path)", "SWIFT_BACKTRACE": "enable=no"],
        uniquingKeysWith: { $1 })
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let ended = DispatchSemaphore(value: 0)
      process.terminationHandler = { _ in ended.signal() }
      try process.run()
      let seconds = Double(child.limit.components.seconds)
      guard ended.wait(timeout: .now() + seconds) == .success else {
        kill(process.processIdentifier, SIGKILL)
        ended.wait()
        return "did not return in \(Int(seconds)) s"
      }
      let how = process.terminationReason == .uncaughtSignal ? "ended with signal" : "ended with status"
      return "\(how) \(process.terminationStatus)"
    }

    var lines: [String] {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      // A line without a line break was truncated by a crash.
      return text.components(separatedBy: "\n").dropLast()
    }

    func write(_ line: String) {
      guard let file = FileHandle(forWritingAtPath: path) else { return }
      defer { try? file.close() }
      _ = try? file.seekToEnd()
      try? file.write(contentsOf: Data((line + "\n").utf8))
    }

    func plain(_ text: String) -> String { text.components(separatedBy: .newlines).joined(separator: " ") }

    func removeFile() { try? FileManager.default.removeItem(atPath: path) }
  }
#endif
