import APIKit
import Foundation
import TestServers
@testable import TestSupport
import XCTest

@testable import DemoCLI

/// Wrong command lines and the parser behind them.
@MainActor
final class UsageTests: XCTestCase {
  func testWrongUsageIsSaidAndEndsWithTwo() async {
    let wrong = [
      "frob": "there is no command frob",
      "lsit --size 5": "there is no command lsit; did you mean list?",
      "help filtr": "there is no command filtr; did you mean filter?",
      "list --city Ames": "there is no option --city; DemoCLI filter --place does it",
      "filter --all": "there is no option --all; DemoCLI list --all does it",
      "list --sise 5": "there is no option --sise; did you mean --size?",
      "list --explian": "there is no option --explian; did you mean --explain?",
      "list --max-prise 5": "there is no option --max-prise; did you mean DemoCLI filter --max-price?",
      "list --size 200": "--size must be a whole number from 1 to 100, not 200",
      "filter --min-beds -1": "--min-beds must be a whole number from 0, not -1",
      "list --frob": "there is no option --frob",
      "list --size": "--size needs a value",
      "list --size 0": "--size must be a whole number from 1 to 100, not 0",
      "list --size=5 --size=6": "--size is given twice",
      "list --json=yes": "--json takes no value",
      "list --source mars": "--source must be sacramento, ames, new or all, not mars",
      "list --sort luck": "--sort must be price, beds, area, place, or one of them after a -, not luck",
      "list extra": "extra is one word too many",
      "list --base-url nonsense": "--base-url: the URL \"nonsense\" is not valid: it has no scheme",
      "show": "ID is missing",
      "show x-1": "x-1 is no id of a home: they begin with sac-, ames- or xf-",
      "map --source all": "a map shows one source at a time",
      "serve --port 70000": "--port must be a whole number from 0 to 65535, not 70000",
      "download http://a.example/b c":
        "http://a.example/b is no path on the server; DemoCLI get URL --output FILE takes a URL",
      "download transfers/files/8 Sources --overwrite": "FILE: Sources is a folder",
      "download transfers/files/8 README.md": "FILE: README.md is there already; --overwrite replaces it",
      "download transfers/files/8 none.bin --sha256 00": "--sha256 must be 64 hexadecimal digits",
      "download transfers/files/8 none.bin --folder /tmp": "--folder is of the queue: add --queue",
      "download transfers/files/8 none.bin --queue --base-url http://127.0.0.1:9 --attempts 5":
        "--attempts is not kept with a transfer: leave it out, or --queue",
      "upload README.md --part 5": "--part is for uploads by tus: add --as tus",
      "upload README.md --folder /tmp": "--folder is of the queue: add --queue",
      "upload /none/here": "the file /none/here cannot be read",
      "help frob": "there is no command frob",
    ]
    for (line, message) in wrong {
      let run = await CommandLineRun(line)
      XCTAssertEqual(run.status, .wrongUsage, line)
      XCTAssertEqual(run.errors.first, "DemoCLI: " + message, line)
      XCTAssertEqual(run.output, [], line)
    }
    let filter = await CommandLineRun("filter --sort price")
    XCTAssertTrue(filter.errors.first?.contains("at least one of --min-price") == true)
    let carrier = await CommandLineRun("show sac-1 --transport pigeon")
    XCTAssertEqual(carrier.status, .wrongUsage)
    XCTAssertTrue(carrier.errors.first?.contains("not pigeon") == true)
  }

  func testAMistakePointsToTheHelpOfItsCommand() async {
    let option = await CommandLineRun("list --city Ames")
    XCTAssertEqual(option.errors.last, "DemoCLI help list shows its options and an example.")
    let command = await CommandLineRun("lsit")
    XCTAssertEqual(command.errors.last, "DemoCLI help shows what there is.")
  }

  func testTheHelpOfACommandShowsAnExampleThatWorks() async throws {
    for command in DemoCLI.commands {
      let help = await CommandLineRun("help \(command.name)")
      XCTAssertEqual(help.output.last, "  DemoCLI \(command.example)")
      let words = command.example.split(separator: " ").map(String.init)
      XCTAssertEqual(words.first, command.name)
      let arguments = try ParsedArguments(
        Array(words.dropFirst()), options: command.allOptions, operands: command.operands)
      XCTAssertNoThrow(try command.init(arguments), command.example)
    }
    for example in [FilterCommand.example, ListCommand.example, ShowCommand.example, TakeoffCommand.example] {
      let run = await CommandLineRun(example)
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertFalse(run.output.isEmpty, example)
      XCTAssertFalse(run.output.contains("No home fits."), example)
    }
  }

  func testTheNearestNameIsFoundAndNoFarOne() {
    let names = ["--size", "--sort", "--source", "--page"]
    XCTAssertEqual(
      Nearest.name(to: "--siez", of: names), "--size", "two letters that are swapped are one mistake")
    XCTAssertEqual(Nearest.name(to: "--sources", of: names), "--source")
    XCTAssertEqual(Nearest.name(to: "-page", of: names), "--page")
    XCTAssertNil(Nearest.name(to: "--frob", of: names))
    XCTAssertNil(Nearest.name(to: "", of: names))
  }

  func testLongWorkShowsHowFarItHasCome() async {
    let all = await CommandLineRun("list --all --source new")
    XCTAssertEqual(all.progress.count, 4)
    XCTAssertEqual(all.progress.last, "335 homes from 4 pages …")
    let one = await CommandLineRun("list --source ames")
    XCTAssertEqual(one.progress, [], "one page is no long work")
  }

  func testHelpNamesEveryCommandAndItsOptions() async {
    let help = await CommandLineRun("help", width: 200)
    XCTAssertEqual(help.status, .success)
    let bare = await CommandLineRun("", width: 200)
    XCTAssertEqual(bare.status, .success)
    XCTAssertEqual(bare.output, help.output, "without a word")
    for command in DemoCLI.commands {
      XCTAssertTrue(
        help.output.contains { $0.contains(command.name) && $0.contains(command.summary) }, command.name)
      let own = await CommandLineRun("\(command.name) --help")
      let short = await CommandLineRun("\(command.name) -h")
      XCTAssertEqual(short.output, own.output)
      XCTAssertTrue(own.output.first?.hasPrefix("usage: DemoCLI \(command.name)") == true)
      for option in command.allOptions {
        XCTAssertTrue(own.output.contains { $0.contains(option.names[0]) }, option.names[0])
      }
    }
  }

  func testTheVersionIsPrinted() async throws {
    let changes = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    let released = changes.split(separator: "\n").first { $0.hasPrefix("## [") && $0.contains("] - ") }
    XCTAssertEqual(
      try XCTUnwrap(released).dropFirst(4).prefix { $0 != "]" }, ClientDescription.frameworkVersion[...])
    for word in ["--version", "-V"] {
      let run = await CommandLineRun(word)
      XCTAssertEqual(run.status, .success)
      XCTAssertEqual(run.output, ["DemoCLI \(ClientDescription.frameworkVersion) (APIKit)"])
    }
  }

  func testTheHelpStatesTheExitStatusesAndTheServerItsLimits() async {
    for line in ["help", "get --help"] {
      let help = await CommandLineRun(line)
      for status in DemoCLI.Status.allCases {
        XCTAssertTrue(
          help.output.contains { $0.contains("\(status.rawValue)") && $0.contains(status.meaning) })
      }
    }
    let serve = await CommandLineRun("help serve", width: 200)
    XCTAssertTrue(
      serve.output.contains { $0.contains("1,048,576 bytes (413 beyond)") }, serve.output.joined())
  }

  func testNoFileIsWrittenUnasked() async throws {
    let folder = temporaryFolder()
    let before = FileManager.default.currentDirectoryPath
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(folder.path))
    for line in ["map --source new --no-cache", "show ames-17", "report"] { _ = await CommandLineRun(line) }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    let report = await CommandLineRun("report")
    XCTAssertEqual(report.errors.first, "DemoCLI: FILE is missing")
  }

  func testAFileThatCannotBeWrittenIsRefusedBeforeAnythingIsSent() async {
    for (line, message) in [
      ("map --svg /nowhere/map.svg", "--svg: there is no folder /nowhere"),
      ("list --har /tmp", "--har: /tmp is a folder"),
      ("get :1 --output /dev/null", "--output: /dev/null is not a plain file"),
    ] {
      let run = await CommandLineRun(line)
      XCTAssertEqual(run.status, .wrongUsage, line)
      XCTAssertEqual(run.errors.first, "DemoCLI: " + message)
    }
  }

  func testOptionsMayStandAnywhereAndInBothForms() async throws {
    let options = [Option("--size", "-s", value: "N", help: ""), Option("--all", help: "")]
    let arguments = try ParsedArguments(
      ["a", "--size=3", "--all", "--", "--b"], options: options, operands: ["A", "B"])
    XCTAssertEqual(arguments.operands, ["a", "--b"])
    XCTAssertEqual(try arguments.number("--size", in: 1...5), 3)
    XCTAssertTrue(arguments.has("--all"))
    XCTAssertEqual(try ParsedArguments(["-s", "-1"], options: options, operands: []).text("--size"), "-1")
  }

  func testNumbersAreWrittenForPeople() async {
    XCTAssertEqual(Formatting.price(215_000), "$215,000")
    XCTAssertEqual(Formatting.price(999), "$999")
    XCTAssertEqual(Formatting.price(-1_234_567), "-$1,234,567")
    XCTAssertEqual(Formatting.area(1656), "1,656 sq ft")
    XCTAssertEqual(Formatting.count(2), "2")
    XCTAssertEqual(Formatting.count(2.5), "2.5")
  }
}
