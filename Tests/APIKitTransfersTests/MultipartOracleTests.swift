#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import Foundation
  import TestServers
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitTransfers

  /// Has random forms read by parsers of others: that of Python's library `email`, and by `Scripts/oracles/multipart` two
  /// more from PyPI.
  final class MultipartOracleTests: XCTestCase {
    func testOtherParsersReadNamesTypesAndContentsInOrder() async throws {
      let environment = ProcessInfo.processInfo.environment
      let folder = temporaryFolder()
      var cases: [Case] = []
      for number in 0..<(environment["APIKIT_MULTIPART_COUNT"].flatMap(Int.init) ?? 50) {
        cases.append(try await Self.make(number, folder))
      }
      let file = folder.appendingPathComponent("cases.json")
      try JSONEncoder().encode(cases).write(to: file)
      let python = Process()
      python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      python.arguments =
        ["python3", PackageFolder.url.appendingPathComponent("Scripts/oracles/multipart.py").path, file.path]
        + (environment["APIKIT_MULTIPART_PARSERS"] ?? "email").split(separator: " ").map(String.init)
      let output = Pipe()
      (python.standardOutput, python.standardError) = (output, output)
      try python.run()
      let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      python.waitUntilExit()
      if python.terminationStatus == 127 { throw XCTSkip("there is no python3") }
      XCTAssertEqual(python.terminationStatus, 0, said)
      XCTAssertTrue(said.contains("\(cases.count) forms"), said)
    }

    private struct Case: Encodable {
      var contentType: String
      var body: Data
      var parts: [Part] = []
    }

    private struct Part: Encodable {
      var name: String
      var fileName: String?
      var contentType: String?
      var content: Data
    }

    private static func make(_ number: Int, _ folder: URL) async throws -> Case {
      var form = MultipartForm()
      var parts: [Part] = []
      for index in 0..<Int.random(in: 1...6) {
        // A name is repeated at times.
        let name = index % 3 == 2 ? parts[0].name : text()
        switch Int.random(in: 0..<3) {
        case 0:
          let content = text() + text() + text()
          form.append(name, text: content)
          parts.append(Part(name: name, content: Data(content.utf8)))
        case 1:
          let (content, fileName) = (bytes(form), text())
          form.append(name, bytes: content, fileName: fileName, contentType: "image/x-test")
          parts.append(
            Part(name: name, fileName: fileName, contentType: "image/x-test", content: Data(content)))
        default:
          let (content, fileName) = (bytes(form), text() + ".json")
          let path = folder.appendingPathComponent("\(number)-\(index)")
          try Data(content).write(to: path)
          form.append(name, file: path.path, fileName: fileName)
          parts.append(
            Part(name: name, fileName: fileName, contentType: "application/json", content: Data(content)))
        }
      }
      guard case .stream(let stream) = try form.body() else { throw APIError(.assembly, .misconfigured) }
      let next = try stream.open()
      var body = Data()
      while let chunk = try await next() { body.append(contentsOf: chunk) }
      return Case(contentType: form.contentType, body: body, parts: parts)
    }

    /// A name without `\`, which a form does not escape and parsers read differently.
    private static func text() -> String {
      let scalars = Array("ab9 .;=,'\"\r\n\t%&+<>()äß苏\u{1F3E0}".unicodeScalars)
      var text = "n".unicodeScalars
      for _ in 0..<Int.random(in: 0...12) { text.append(scalars[Int.random(in: 0..<scalars.count)]) }
      text.append("z")
      return String(text)
    }

    /// Bytes of any kind, with what looks like a delimiter among them.
    private static func bytes(_ form: MultipartForm) -> [UInt8] {
      let pieces: [[UInt8]] = [
        // Not a delimiter, whatever byte follows.
        [13, 10], [10], [13], Array("--".utf8), Array("\r\n--\(form.boundary.dropLast())!".utf8),
        [0, 255, 128],
        (0..<200).map { _ in UInt8.random(in: 0...255) }, Array("\r\n\r\n".utf8),
      ]
      return (0..<Int.random(in: 0...8)).flatMap { _ in pieces[Int.random(in: 0..<pieces.count)] }
    }
  }
#endif
