#if os(Linux)
  import Foundation
  import Glibc
  @testable import TestSupport
  import XCTest

  @testable import DemoCLI

  final class OutputFileTests: XCTestCase {
    private lazy var folder = temporaryFolder().path
    private var file: String { folder + "/homes.svg" }

    override func setUpWithError() throws {
      try "before".write(toFile: file, atomically: false, encoding: .utf8)
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    func testAFileThatCannotBeWrittenKeepsWhatItWas() throws {
      let handler = signal(SIGXFSZ, SIG_IGN)
      var before = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
      var limit = before
      limit.rlim_cur = 1 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      defer {
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        signal(SIGXFSZ, handler)
      }
      XCTAssertThrowsError(try OutputFile.write(Data(count: 2 << 20), to: file)) {
        XCTAssertEqual("\($0)", "\(self.file) cannot be written: File too large")
      }
      XCTAssertEqual(try text(file), "before")
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["homes.svg"])
    }

    func testTheFileBehindALinkIsReplaced() throws {
      let link = folder + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "homes.svg")
      try OutputFile.write(Data("after".utf8), to: link)
      XCTAssertEqual(try text(file), "after")
      XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), "homes.svg")
    }
  }
#endif
