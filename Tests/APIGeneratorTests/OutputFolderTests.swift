@testable import TestSupport
import XCTest

@testable import APIGenerator

final class OutputFolderTests: XCTestCase {
  private var folder = ""
  private var output: String { "\(folder)/Sources/API" }

  override func setUpWithError() throws {
    folder = temporaryFolder().path
    try put(document(["homes", "offers"]), "openapi.json")
  }

  private func document(_ names: [String]) -> String {
    let paths = names.map {
      #""/\#($0)": {"get": {"operationId": "list \#($0)", "tags": ["\#($0)"], "responses": {"204": {}}}}"#
    }
    return Documents.make(paths: "{\(paths.joined(separator: ", "))}")
  }

  private func put(_ text: String, _ name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8)
  }
  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(output)/\(name)") }
  private func generate(_ words: String...) -> CommandLineTool.Output {
    CommandLineTool.run(words, in: folder)
  }

  @discardableResult private func first(file: StaticString = #filePath, line: UInt = #line)
    -> CommandLineTool.Output
  {
    let outcome = generate("openapi.json", "--into", "Sources/API", "--service", "Homes")
    XCTAssertEqual(outcome.status, 0, outcome.errors, file: file, line: line)
    return outcome
  }

  func testTheNextRunNeedsNoArgumentAndChangesNothing() throws {
    XCTAssertEqual(
      first().text,
      """
      adds Homes+Homes.swift
      adds Homes+Offers.swift
      adds Homes.swift
      adds REPORT.md
      2 managers, 0 models

      """)
    let before = try text(".apikit-generate/manifest.json")
    assertContains(before, #""document": "../../openapi.json""#, #""GET /homes": "ListHomesManager""#)
    XCTAssertEqual(generate("--check").status, 0)
    XCTAssertEqual(generate().text, "2 managers, 0 models\n")
    XCTAssertEqual(try text(".apikit-generate/manifest.json"), before)
  }

  func testACheckSaysWhatWouldChangeAndWritesNothing() throws {
    first()
    try put(document(["homes"]), "openapi.json")
    let check = generate("--check")
    XCTAssertEqual(check.status, 1)
    assertContains(check.text, "removes Homes+Offers.swift")
    XCTAssertTrue(exists("Homes+Offers.swift"))
    XCTAssertEqual(generate("--dry-run").status, 0)
    XCTAssertEqual(generate().status, 0)
    XCTAssertFalse(exists("Homes+Offers.swift"))
    XCTAssertEqual(generate("--check").status, 0)
  }

  func testFiltersAreKeptUntilTheyAreForgotten() throws {
    XCTAssertEqual(
      generate("openapi.json", "--into", "Sources/API", "--service", "Homes", "--tag", "!off*").status, 0)
    XCTAssertFalse(exists("Homes+Offers.swift"))
    XCTAssertEqual(generate().status, 0)
    XCTAssertFalse(exists("Homes+Offers.swift"))
    XCTAssertEqual(generate("--all").status, 0)
    XCTAssertTrue(exists("Homes+Offers.swift"))
  }

  func testBasesAreKeptUntilTheyAreEndedAndAreOpenClassesWithoutAProtocol() throws {
    XCTAssertEqual(
      generate("openapi.json", "--into", "Sources/API", "--service", "Homes", "--bases").status, 0)
    assertContains(
      try text("Homes+Homes.swift"), "public import APIKit", "/// A subclass adopts `APIManager`.",
      "open class BaseListHomesManager: BaseAPIManager {", "  public let apiName = \"homes\"")
    XCTAssertEqual(generate("--check").status, 0)
    let names = #"{"GET /homes": "HomeListManager"}"#
    try put(names, "names.json")
    assertContains(
      generate("--names", "names.json").text, "renames BaseListHomesManager to BaseHomeListManager\n")
    assertContains(
      generate("--no-bases", "--access", "internal").text, "removes BaseHomeListManager",
      "adds HomeListManager")
    assertContains(
      try text("Homes+Homes.swift"), "\nfinal class HomeListManager: BaseAPIManager, APIManager {")
  }

  func testATagThatChangesOnlyItsCaseKeepsItsFileOnADiskThatTellsNoCasesApart() throws {
    try put(document(["petstore"]), "openapi.json")
    first()
    // Such a disk has one file for both names, as two links are.
    let other = "\(output)/Homes+PetStore.swift"
    try FileManager.default.linkItem(atPath: "\(output)/Homes+Petstore.swift", toPath: other)
    let tag = #""tags": ["petstore"]"#
    let renamed = document(["petstore"]).replacingOccurrences(of: tag, with: #""tags": ["petStore"]"#)
    try put(renamed, "openapi.json")
    XCTAssertEqual(generate().text, "1 managers, 0 models\n", "nothing is removed")
    XCTAssertEqual(generate("--check").status, 0)
    // With other contents it is the file of the last run, and no foreign one.
    try FileManager.default.removeItem(atPath: output)
    try put(document(["petstore"]), "openapi.json")
    first()
    try FileManager.default.linkItem(atPath: "\(output)/Homes+Petstore.swift", toPath: other)
    let summary = #""summary": "All pets.", "operationId""#
    try put(renamed.replacingOccurrences(of: #""operationId""#, with: summary), "openapi.json")
    let outcome = generate()
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertTrue(try text("Homes+PetStore.swift").contains("All pets."))
  }

  func testAnEditedFileStopsTheRun() throws {
    first()
    try "// mine".write(toFile: "\(output)/Homes.swift", atomically: true, encoding: .utf8)
    try put(document(["homes"]), "openapi.json")
    let stopped = generate()
    XCTAssertEqual(stopped.status, 2)
    assertContains(stopped.errors, "Homes.swift; --force")
    XCTAssertEqual(try text("Homes.swift"), "// mine")
    XCTAssertTrue(exists("Homes+Offers.swift"))
    XCTAssertEqual(generate("--force").status, 0)
    XCTAssertNotEqual(try text("Homes.swift"), "// mine")
  }

  func testAFileOfSomebodyElseIsNotOverwritten() throws {
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    try "// mine".write(toFile: "\(output)/Homes.swift", atomically: true, encoding: .utf8)
    XCTAssertEqual(generate("openapi.json", "--into", "Sources/API", "--service", "Homes").status, 2)
    XCTAssertEqual(try text("Homes.swift"), "// mine")
  }

  func testANameOnceGivenIsKept() throws {
    try put(Documents.make(paths: #"{"/b": {"get": {"operationId": "x", "responses": {}}}}"#), "openapi.json")
    first()
    // Alone, the new one would get the name: its path comes first.
    try put(
      Documents.make(
        paths:
          #"{"/a": {"get": {"operationId": "x", "responses": {}}}, "/b": {"get": {"operationId": "x", "responses": {}}}}"#
      ),
      "openapi.json")
    XCTAssertEqual(generate().status, 0)
    assertContains(
      try text(".apikit-generate/manifest.json"), #""GET /a": "X2Manager""#, #""GET /b": "XManager""#)
    assertContains(try text("REPORT.md"), "the name XManager was taken")
  }

  func testNamesOfTheUserComeFirst() throws {
    try put(#"{"GET /homes": "HomeListManager"}"#, "names.json")
    XCTAssertEqual(
      generate("openapi.json", "--into", "Sources/API", "--service", "Homes", "--names", "names.json").status,
      0)
    assertContains(try text("Homes+Homes.swift"), "final class HomeListManager")
  }

  func testANameFileAndAnAddressAreKeptUntilTheyAreForgotten() throws {
    first()
    try put(#"{"GET /homes": "HomeListManager"}"#, "names.json")
    XCTAssertEqual(generate("--names", "names.json", "--base-url", "https://b.example").status, 0)
    try FileManager.default.removeItem(atPath: "\(folder)/names.json")
    assertContains(generate().errors, "names.json cannot be read")
    XCTAssertEqual(generate("--no-names", "--no-base-url").status, 0)
    assertContains(try text("Homes+Homes.swift"), "final class HomeListManager")
    assertContains(try text("Homes.swift"), "https://homes.example/v1")
    XCTAssertEqual(generate("--check").status, 0)
  }

  // MARK: Runs that end early

  func testARunThatWasKilledWhileItWroteLeavesNothing() throws {
    first()
    let next = "\(output)/.apikit-generate/next"
    try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: true)
    try "half".write(toFile: "\(next)/Homes.swift", atomically: true, encoding: .utf8)
    let after = generate()
    assertContains(after.text, "nothing of it is kept")
    XCTAssertEqual(after.status, 0)
    XCTAssertFalse(FileManager.default.fileExists(atPath: next))
    XCTAssertNotEqual(try text("Homes.swift"), "half")
  }

  func testARunThatWasKilledBetweenTwoRenamesIsFinishedByTheNext() throws {
    first()
    try put(document(["homes", "agents"]), "openapi.json")
    let copy = "\(folder)/.copy"
    try FileManager.default.copyItem(atPath: output, toPath: copy)
    XCTAssertEqual(generate().status, 0)
    let wanted = try Set(FileManager.default.contentsOfDirectory(atPath: output))
    // The state after the first of the renames: the new file in place, all else still to come.
    let next = "\(copy)/.apikit-generate/next"
    try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: true)
    for name in ["Homes+Agents.swift", "REPORT.md", ".apikit-generate/manifest.json"] {
      let last = name.split(separator: "/").last.map(String.init) ?? name
      try FileManager.default.copyItem(atPath: "\(output)/\(name)", toPath: "\(next)/\(last)")
    }
    try FileManager.default.moveItem(
      atPath: "\(next)/Homes+Agents.swift", toPath: "\(copy)/Homes+Agents.swift")
    try "".write(toFile: "\(next)/complete", atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: output)
    try FileManager.default.moveItem(atPath: copy, toPath: output)
    let after = generate()
    XCTAssertEqual(after.status, 0, after.errors)
    assertContains(after.text, "that is finished now")
    XCTAssertEqual(try Set(FileManager.default.contentsOfDirectory(atPath: output)), wanted)
    XCTAssertEqual(generate("--check").status, 0)
  }

  func testARunThatWasKilledAfterAnyRenameIsFinishedByTheNext() throws {
    first()
    let (old, new, state) = ("\(folder)/.old", "\(folder)/.new", ".apikit-generate")
    let files = FileManager.default
    try files.copyItem(atPath: output, toPath: old)
    try put(document(["homes", "agents", "plans"]), "openapi.json")
    XCTAssertEqual(generate().status, 0)
    try files.copyItem(atPath: output, toPath: new)
    let made = ["Homes+Agents.swift", "Homes+Plans.swift", "REPORT.md"]
    // Each file, the removal of what is no longer made, the manifest: as many as have been done at the kill.
    for done in 0...made.count + 2 {
      try files.removeItem(atPath: output)
      try files.copyItem(atPath: old, toPath: output)
      try files.createDirectory(atPath: "\(output)/\(state)/next", withIntermediateDirectories: true)
      try "".write(toFile: "\(output)/\(state)/next/complete", atomically: true, encoding: .utf8)
      for (index, name) in made.enumerated() {
        let place = index < done ? "\(output)/\(name)" : "\(output)/\(state)/next/\(name)"
        try? files.removeItem(atPath: place)
        try files.copyItem(atPath: "\(new)/\(name)", toPath: place)
      }
      if done > made.count { try files.removeItem(atPath: "\(output)/Homes+Offers.swift") }
      let manifest = "\(output)/\(state)/\(done == made.count + 2 ? "" : "next/")manifest.json"
      try? files.removeItem(atPath: manifest)
      try files.copyItem(atPath: "\(new)/\(state)/manifest.json", toPath: manifest)
      let after = generate()
      XCTAssertEqual(after.status, 0, "\(done): \(after.errors)")
      assertContains(after.text, "that is finished now")
      XCTAssertEqual(files.contentsEqual(atPath: output, andPath: new), true, "\(done)")
    }
  }

  func testOfTwoRunsAtOnceOneRefuses() throws {
    first()
    let refused = try OutputFolder(output).locked { _ in generate() }
    XCTAssertEqual(refused.status, 2)
    assertContains(refused.errors, "another run is writing there")
  }

  func testAnErrorBeforeTheRenamesChangesNothing() throws {
    first()
    let before = try Set(FileManager.default.contentsOfDirectory(atPath: "\(output)/.apikit-generate"))
    var manifest = Manifest()
    manifest.settings = .homes
    // A name that no file can have stands for a disk that is full.
    let files = ["Homes.swift": "new", String(repeating: "a", count: 300) + ".swift": "new"]
    let folder = OutputFolder(output)
    XCTAssertThrowsError(try folder.locked { (_) throws(Problems) in try folder.replace(files, manifest) })
    XCTAssertEqual(
      try Set(FileManager.default.contentsOfDirectory(atPath: "\(output)/.apikit-generate")), before)
    XCTAssertNotEqual(try text("Homes.swift"), "new")
  }

  func testStrictFailsWhereTheReportWouldNameAnything() throws {
    let arguments = ["openapi.json", "--into", "Sources/API", "--service", "Homes", "--strict"]
    let clean = CommandLineTool.run(arguments, in: folder)
    XCTAssertEqual(clean.status, 0, clean.errors)
    assertContains(try text("REPORT.md"), "Nothing was left out.")
    let before = try text("Homes.swift")

    let loose = Documents.make(
      paths: #"{"/homes": {"get": {"operationId": "list homes", "responses": {"204": {}}}}}"#,
      more: #", "webhooks": {"sold": {"post": {"responses": {}}}}"#)
    try put(loose, "openapi.json")
    for words in [["--strict"], ["--strict", "--check"], ["--strict", "--dry-run"]] {
      let strict = CommandLineTool.run(words, in: folder)
      XCTAssertEqual(strict.status, 2, "\(words)")
      XCTAssertEqual(strict.errors, "#/webhooks: webhooks are not read; receive them by hand\n")
    }
    XCTAssertEqual(try text("Homes.swift"), before, "nothing is written")
    XCTAssertEqual(generate().status, 0, "it is no setting that is kept")
    assertContains(try text("REPORT.md"), "webhooks are not read")
  }

  func testTheFolderHoldsNothingButOutputAndManifest() throws {
    first()
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: "\(output)/.apikit-generate"), ["manifest.json"])
  }

  func testABadDocumentWritesNothing() throws {
    try put("{", "openapi.json")
    let bad = generate("openapi.json", "--into", "Sources/API", "--service", "Homes")
    XCTAssertEqual(bad.status, 2)
    XCTAssertEqual(bad.errors, "openapi.json:1:2: the name of a member is expected here\n")
    XCTAssertFalse(FileManager.default.fileExists(atPath: output), "a folder is left")
  }

  func testWrongUsageIsNamed() {
    for (words, part) in [
      (["--colour"], "--colour is unknown"), (["--into"], "--into needs a value"), ([], "no folder is given"),
      (["a.json", "b.json"], "one document at a time"),
      (["openapi.json", "--into", "x"], "--service is needed"),
      (["openapi.json", "--into", "x", "--service", "String"], "none of Swift"),
      (
        ["openapi.json", "--into", "x", "--service", "Homes", "--access", "open"],
        "internal, package or public"
      ),
      (
        ["openapi.json", "--into", "x", "--service", "Homes", "--bases", "--access", "package"],
        "--access must be public"
      ),
      (["openapi.json", "--into", "x", "--service", "Homes", "--tag", "nothing"], "no operation is left"),
      (["missing.json", "--into", "x", "--service", "Homes"], "cannot be read"),
    ] {
      let run = CommandLineTool.run(words, in: folder)
      XCTAssertEqual(run.status, 2)
      assertContains(run.errors, part)
    }
  }

  func testAManifestThatNamesFilesElsewhereIsRefused() throws {
    first()
    let file = ".apikit-generate/manifest.json"
    let edited = try text(file).replacingOccurrences(
      of: "\"REPORT.md\"", with: "\"../../../etc/passwd.swift\"")
    try edited.write(toFile: "\(output)/\(file)", atomically: true, encoding: .utf8)
    let refused = generate()
    XCTAssertEqual(refused.status, 2)
    assertContains(refused.errors, "is not the name of a file that this tool writes")
  }

  func testAManifestThatNamesAnotherServiceThanATypeIsRefused() throws {
    first()
    let file = ".apikit-generate/manifest.json"
    let written = try text(file)
    for (old, new, part) in [
      ("\"service\": \"Homes\"", "\"service\": \"Homes {} import Evil\"", "--service Homes {} import Evil"),
      ("\"access\": \"internal\"", "\"access\": \"evil\"", "--access evil"),
    ] {
      let edited = written.replacingOccurrences(of: old, with: new)
      XCTAssertNotEqual(edited, written)
      try edited.write(toFile: "\(output)/\(file)", atomically: true, encoding: .utf8)
      let refused = generate()
      XCTAssertEqual(refused.status, 2)
      assertContains(refused.errors, part)
    }
  }

  func testAFolderInThePlaceOfAFileStopsTheRunBeforeItWrites() throws {
    first()
    try FileManager.default.createDirectory(
      atPath: "\(output)/Homes+Agents.swift", withIntermediateDirectories: true)
    try put(document(["homes", "agents"]), "openapi.json")
    let before = try text("REPORT.md")
    assertContains(generate().errors, "Homes+Agents.swift; --force overwrites them")
    let forced = generate("--force")
    XCTAssertEqual(forced.status, 2)
    assertContains(forced.errors, "Homes+Agents.swift is no file that can be read; remove it")
    XCTAssertEqual(try text("REPORT.md"), before)
    XCTAssertTrue(exists("Homes+Offers.swift"))
    try FileManager.default.removeItem(atPath: "\(output)/Homes+Agents.swift")
    XCTAssertEqual(generate().status, 0)
  }

  func testTagsOfOneTitleHaveFilesOfTheirOwnWithShortNames() throws {
    let tags = (1...30).map { String(repeating: "é", count: $0) }
    try put(document(tags), "openapi.json")
    first()
    let names = try FileManager.default.contentsOfDirectory(atPath: output).filter { $0.hasSuffix(".swift") }
    XCTAssertEqual(names.count, 31)
    XCTAssertTrue(names.contains("Homes+TagPartA.swift"))
    XCTAssertTrue(names.contains("Homes+TagPartAA.swift"))
    XCTAssertTrue(names.allSatisfy { $0.count < 30 }, "\(names.max { $0.count < $1.count } ?? "")")
    XCTAssertEqual(generate("--check").status, 0)
  }

  func testDigestsAreThoseOfTheStandard() {
    XCTAssertEqual(
      SHA256.hex(of: Array("abc".utf8)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    XCTAssertEqual(
      SHA256.hex(of: [UInt8](repeating: UInt8(ascii: "a"), count: 1000)),
      "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
  }
}
