#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import APIKit
  import DemoServer
  import Foundation
  @testable import TestSupport
  import XCTest

  /// The program as a shell sees it.
  final class ProcessTests: XCTestCase {
    /// The built program, beside the test bundle.
    private var program: URL {
      #if os(macOS)
        let folder = Bundle(for: ProcessTests.self).bundleURL.deletingLastPathComponent()
      #else
        let folder = Bundle.main.bundleURL
      #endif
      return folder.appendingPathComponent("DemoCLI")
    }

    private lazy var caches = temporaryFolder()

    private func start(_ arguments: [String]) throws -> (process: Process, output: Pipe, errors: Pipe) {
      let process = Process()
      process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": caches.path]) {
        $1
      }
      let (output, errors) = (Pipe(), Pipe())
      process.executableURL = program
      process.arguments = arguments
      process.standardOutput = output
      process.standardError = errors
      process.standardInput = FileHandle.nullDevice
      try process.run()
      return (process, output, errors)
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      let (process, output, errors) = try start(arguments)
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let complaints = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        process.terminationStatus, String(decoding: text, as: UTF8.self),
        String(decoding: complaints, as: UTF8.self)
      )
    }

    func testNoProgressIsShownInAPipe() throws {
      let piped = try run("list", "--all", "--source", "new", "--no-cache")
      XCTAssertEqual(piped.status, 0, piped.errors)
      XCTAssertEqual(piped.errors, "")
      XCTAssertFalse(piped.output.contains("\u{1B}"))
    }

    #if os(Linux)
      func testOutputThatCannotBeWrittenIsAFailure() throws {
        for arguments in [["help"], ["list", "--source", "new", "--no-cache", "--json"]] {
          let process = Process()
          let errors = Pipe()
          (process.executableURL, process.arguments) = (program, arguments)
          process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
          process.standardError = errors
          try process.run()
          let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
          process.waitUntilExit()
          XCTAssertEqual(process.terminationReason, .exit)
          XCTAssertEqual(process.terminationStatus, 1)
          XCTAssertEqual(complaints, "DemoCLI: the output cannot be written: No space left on device\n")
        }
      }

      /// Their numbers are given to no socket and no file.
      func testDescriptorsMayBeClosed() throws {
        let file = caches.appendingPathComponent("file")
        for (closed, status) in [("<&- 2>&-", 0), ("<&- >&- 2>&-", 1)] {
          let process = Process()
          process.executableURL = URL(fileURLWithPath: "/bin/sh")
          process.arguments = [
            "-c", "exec \"$0\" \"$@\" \(closed)", program.path, "download", "transfers/files/3000", file.path,
            "--overwrite",
          ]
          process.standardOutput = FileHandle.nullDevice
          try process.run()
          process.waitUntilExit()
          XCTAssertEqual(Int(process.terminationStatus), status, closed)
          XCTAssertEqual(FileManager.default.contents(atPath: file.path)?.count, 3000, closed)
        }
      }

      func testTheTerminalIsGivenBackAfterAnySignal() throws {
        var signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        // A sanitizer handles these two itself.
        if ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] == nil { signals += [SIGABRT, SIGSEGV] }
        for number in signals {
          let (shown, status) = try monitor(environment: ["TERM": "xterm"], ended: number)
          let enter = try XCTUnwrap(shown.range(of: "\u{1B}[?1049h\u{1B}[?25l"), "the screen was not taken")
          let leave = try XCTUnwrap(shown.range(of: "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"), "signal \(number)")
          XCTAssertLessThan(enter.lowerBound, leave.lowerBound)
          // The first Ctrl-C ends every command in order.
          let isOrderly = number == SIGINT || number == SIGTERM
          let last = isOrderly ? "DemoCLI: interrupted\r\n" : ""
          XCTAssertEqual(shown[leave.upperBound...], Substring(last), "signal \(number)")
          XCTAssertEqual(status, isOrderly ? 130 : number, "it ended by another signal")
          XCTAssertTrue(shown.contains("\u{1B}[1m"), "it has colours")
        }
      }

      func testTheMonitorKeepsToNO_COLORAndToDumbTerminals() throws {
        let (plain, _) = try monitor(environment: ["TERM": "xterm", "NO_COLOR": "1"], ended: SIGTERM)
        XCTAssertFalse(plain.contains("\u{1B}[1m"))
        XCTAssertTrue(plain.contains("\u{1B}[?1049h"))
        let (dumb, _) = try monitor(environment: ["TERM": "dumb"], ended: SIGTERM)
        XCTAssertFalse(dumb.contains("\u{1B}"))
        XCTAssertTrue(dumb.contains("in the air"))
      }

      func testAStopGivesTheTerminalBackUntilTheMonitorGoesOn() throws {
        let (enter, leave) = ("\u{1B}[?1049h\u{1B}[?25l", "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        let (terminal, end) = try Self.pseudoterminal()
        let process = try startMonitor(on: end, environment: ["TERM": "xterm"])
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        var shown = ""
        @discardableResult func readOnce() -> Bool {
          var chunk = [UInt8](repeating: 0, count: 4096)
          let count = read(terminal.fileDescriptor, &chunk, chunk.count)
          guard count > 0 else { return false }  // EIO once the program has ended (Linux)
          shown += String(decoding: chunk[..<count], as: UTF8.self)
          return true
        }
        func readOn(until isEnough: (String) -> Bool) { while !isEnough(shown), readOnce() {} }
        func isStopped() -> Bool {
          // Its third word is the state (proc(5)).
          let text =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
          return text.split(separator: ")").last?.hasPrefix(" T") ?? false
        }
        readOn { $0.contains("in the air") }
        for round in 1...2 {
          let before = shown.utf8.count
          kill(process.processIdentifier, SIGTSTP)
          readOn { $0.components(separatedBy: leave).count > round }
          for _ in 0..<5000 where !isStopped() { usleep(1000) }
          var waiting = pollfd(fd: terminal.fileDescriptor, events: Int16(POLLIN), revents: 0)
          while poll(&waiting, 1, 0) > 0 { readOnce() }
          XCTAssertTrue(isStopped(), "it goes on")
          XCTAssertGreaterThan(shown.utf8.count, before)
          XCTAssertTrue(shown.hasSuffix(leave), "it draws on the first screen")
          kill(process.processIdentifier, SIGCONT)
          readOn {
            $0.components(separatedBy: enter).count > round + 1
              && $0.components(separatedBy: enter).last?.contains("in the air") == true
          }
        }
        kill(process.processIdentifier, SIGTERM)
        readOn { _ in false }
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 130)
        XCTAssertTrue(shown.hasSuffix(leave + "DemoCLI: interrupted\r\n"))
        XCTAssertEqual(shown.components(separatedBy: enter).count, 4)
        XCTAssertEqual(shown.components(separatedBy: leave).count, 4)
      }

      private func startMonitor(on end: FileHandle, environment: [String: String]) throws -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = ["monitor", "--no-cache", "--seconds", "60"]
        (process.standardOutput, process.standardError) = (end, end)
        process.standardInput = FileHandle.nullDevice
        var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if environment["NO_COLOR"] == nil { all["NO_COLOR"] = nil }
        process.environment = all
        try process.run()
        try end.close()
        return process
      }

      /// What the monitor shows on a terminal until it has shown loads and gets a signal.
      private func monitor(
        environment: [String: String], ended number: Int32
      ) throws -> (shown: String, signal: Int32) {
        let (terminal, end) = try Self.pseudoterminal()
        let process = try startMonitor(on: end, environment: environment)
        var shown: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        var isEnded = false
        while true {
          let count = read(terminal.fileDescriptor, &chunk, chunk.count)
          guard count > 0 else { break }  // EIO once the program has ended (Linux)
          shown += chunk[..<count]
          if !isEnded, String(decoding: shown, as: UTF8.self).contains("in the air") {
            isEnded = true
            kill(process.processIdentifier, number)
          }
        }
        process.waitUntilExit()
        let isOrderly = number == SIGINT || number == SIGTERM
        XCTAssertEqual(process.terminationReason, isOrderly ? .exit : .uncaughtSignal)
        return (String(decoding: shown, as: UTF8.self), process.terminationStatus)
      }

      func testProgressIsShownOnATerminal() throws {
        let (terminal, end) = try Self.pseudoterminal()
        let process = Process()
        process.executableURL = program
        process.arguments = ["list", "--all", "--source", "new", "--no-cache", "--json"]
        (process.standardOutput, process.standardError) = (end, end)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try end.close()
        var shown: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = read(terminal.fileDescriptor, &chunk, chunk.count)
          guard count > 0 else { break }  // EIO once the program has ended (Linux)
          shown += chunk[..<count]
        }
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0)
        let text = String(decoding: shown, as: UTF8.self)
        XCTAssertTrue(
          text.contains("\r\u{1B}[K335 homes from 4 pages …\r\u{1B}[K"), "shown, and erased by the result")
      }

      /// Both ends of a new terminal (pty(7)).
      private static func pseudoterminal() throws -> (controller: FileHandle, end: FileHandle) {
        let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try XCTSkipIf(controller < 0, "no pseudoterminals here")
        var (isLocked, number) = (Int32(0), Int32(0))
        // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
        guard ioctl(controller, 0x4004_5431, &isLocked) == 0, ioctl(controller, 0x8004_5430, &number) == 0,
          let end = FileHandle(forUpdatingAtPath: "/dev/pts/\(number)")
        else { throw CocoaError(.fileReadUnknown) }
        return (FileHandle(fileDescriptor: controller, closeOnDealloc: true), end)
      }
    #endif

    func testExitStatusAndStreams() throws {
      let list = try run("list", "--size", "2", "--source", "new")
      XCTAssertEqual(list.status, 0, list.errors)
      XCTAssertTrue(list.output.hasSuffix("2 of 335 homes, page 1\nfrom the network\n"), list.output)
      XCTAssertEqual(list.errors, "")
      let failed = try run("show", "sac-99999")
      XCTAssertEqual(failed.status, 1)
      XCTAssertEqual(failed.output, "")
      XCTAssertTrue(failed.errors.contains("status 404"), failed.errors)
      XCTAssertEqual(try run("list", "--nonsense").status, 2)
    }

    #if os(Linux)  // elsewhere the folder of caches is not the environment's to say
      func testAListRunTwiceLandsTheSecondTimeFromWhatTheFirstRunKept() throws {
        let first = try run("list", "--size", "3")
        XCTAssertEqual(first.status, 0, first.errors)
        XCTAssertTrue(first.output.hasSuffix("\nfrom the network\n"), first.output)
        let second = try run("list", "--size", "3")
        XCTAssertEqual(second.status, 0, second.errors)
        XCTAssertTrue(second.output.contains("\nfrom disk, "), second.output)
        XCTAssertTrue(second.output.hasSuffix(" s old\n"), second.output)
        XCTAssertEqual(
          first.output.split(separator: "\n").dropLast(), second.output.split(separator: "\n").dropLast())
        let numbers = try run("cache")
        XCTAssertTrue(numbers.output.hasSuffix("in \(caches.path)/APIKitDemo\n"), numbers.output)
      }
    #endif

    #if os(Linux)  // elsewhere no transport opens WebSockets
      func testWatchEndsInOrderAtAnInterruption() throws {
        for words in [["watch"], ["watch", "--events"]] {
          let (process, output, errors) = try start(words + ["--every", "20"])
          defer { if process.isRunning { process.terminate() } }
          var shown = ""
          while shown.split(separator: "\n").count < 3 {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            shown += String(decoding: data, as: UTF8.self)
          }
          XCTAssertTrue(shown.contains("$"), shown)
          process.interrupt()
          let rest = output.fileHandleForReading.readDataToEndOfFile()
          let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
          process.waitUntilExit()
          XCTAssertEqual(process.terminationReason, .exit)
          XCTAssertEqual(process.terminationStatus, 130, told)
          let lines = shown + String(decoding: rest, as: UTF8.self)
          XCTAssertTrue(lines.hasSuffix("\n"), "the last line is whole")
          let count = lines.split(separator: "\n").count
          let how = words.count == 1 ? "closed with 1000" : "closed"
          XCTAssertTrue(told.hasSuffix("\(count) changes, \(how)\nDemoCLI: interrupted\n"), told)
        }
      }
    #endif

    func testServeServesUntilItIsToldToEnd() throws {
      let (process, output, errors) = try start(["serve", "--signed"])
      defer { if process.isRunning { process.terminate() } }
      var line = ""
      while !line.hasSuffix("\n") {
        let data = output.fileHandleForReading.availableData
        guard !data.isEmpty else { break }
        line += String(decoding: data, as: UTF8.self)
      }
      let url = line.trimmingCharacters(in: .whitespacesAndNewlines)
      XCTAssertTrue(url.hasPrefix("http://127.0.0.1:"), url)
      let list = try run("list", "--source", "ames", "--size", "1", "--base-url", url)
      XCTAssertEqual(list.status, 0, list.errors)
      process.terminate()
      process.waitUntilExit()
      XCTAssertEqual(process.terminationReason, .exit)
      XCTAssertEqual(process.terminationStatus, 130)
      let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      XCTAssertTrue(told.contains("limits     a body of 1,048,576 bytes (413 beyond)"), told)
      for route in ["sacramento/v1/favourites", "echo", "transfers/files/{bytes}", "oauth/token"] {
        XCTAssertTrue(told.contains(route), "\(route): \(told)")
      }
    }

    func testCtrlCEndsALoadThatNobodyAnswersAndASecondOneIsNotNeeded() throws {
      let server = try DemoServer()
      for words in [
        ["get", "\(server.baseURL.string)silent"],
        ["list", "--no-cache", "--base-url", server.baseURL.string],
      ] {
        server.on(.get, "*") { _ in
          var response = DemoResponse.text("late")
          response.delay = .seconds(60)
          return response
        }
        let (process, _, errors) = try start(words)
        while server.counters.requests == 0, process.isRunning { usleep(5000) }
        usleep(100_000)
        process.interrupt()
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .exit)
        XCTAssertEqual(process.terminationStatus, 130, told)
        XCTAssertTrue(told.hasPrefix("DemoCLI: interrupted"), told)
        server.forget()
      }
    }
  }
#endif
