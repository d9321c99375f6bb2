import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What tasks of a background session have brought is on the disk until it is taken, be it by a later launch.
final class BackgroundOutcomesTests: XCTestCase {
  private lazy var folder = temporaryFolder().path
  private let exchange = "0a1b " + String(repeating: "c", count: 64)

  private func outcomes(_ key: SecretKey? = nil) -> BackgroundOutcomes {
    BackgroundOutcomes(folder: "\(folder)/session", seal: QueueSeal(key))
  }

  private func files() -> [String] { PrivateFile.names(in: "\(folder)/session").sorted() }

  /// A file as the system gives it.
  private func received(_ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/CFNetworkDownload.tmp"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func head(_ status: Int = 200, _ headers: HTTPHeaders = ["ETag": "\"a\""]) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, url: "https://homes.test/files/7")
  }

  func testADownloadIsTakenUpByTheNextLaunchWithItsHeadAndItsFile() async throws {
    let path = try received([1, 2, 3])
    let kept = outcomes().keep(fileAt: path, head: head(206), of: exchange)
    XCTAssertNil(kept.error)
    XCTAssertFalse(PrivateFile.exists(path), "the system removes it")
    // The process has ended.
    let found = outcomes().takeUp()
    XCTAssertEqual(found.map(\.name), [exchange])
    let outcome = try XCTUnwrap(found.first?.outcome)
    outcomes().forget(outcome)
    let response = try outcome.response(for: .stream, maximumDecodedBytes: 10)
    XCTAssertEqual(response.status, 206)
    XCTAssertEqual(response.headers["ETag"], "\"a\"")
    XCTAssertEqual(response.url?.string, "https://homes.test/files/7")
    guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
    var bytes: [UInt8] = []
    for try await chunk in stream { bytes += chunk }
    XCTAssertEqual(bytes, [1, 2, 3])
    XCTAssertEqual(outcomes().takeUp().count, 0, "it is taken once")
  }

  func testAFileOfAnotherVolumeIsGoneWhereItWas() throws {
    let path = "/dev/shm/\(UUID().uuidString)"
    try XCTSkipUnless(FileManager.default.createFile(atPath: path, contents: Data([1, 2, 3])), "no /dev/shm")
    defer { unlink(path) }
    let kept = outcomes().keep(fileAt: path, head: head(), of: exchange)
    XCTAssertNil(kept.error)
    XCTAssertFalse(PrivateFile.exists(path))
  }

  func testTheFileGoesWithItsReader() throws {
    let kept = outcomes().keep(fileAt: try received([1, 2, 3]), head: head(), of: exchange)
    outcomes().forget(kept)
    XCTAssertEqual(files().count, 1)
    _ = try kept.response(for: .stream, maximumDecodedBytes: 10)
    XCTAssertEqual(files(), [])
  }

  func testTheResponseToAnUploadIsTakenUpToo() throws {
    var outcome = BackgroundOutcome()
    (outcome.head, outcome.bytes) = (head(201, ["Location": "/files/9"]), [7])
    outcomes().keep(&outcome, of: exchange)
    let found = try XCTUnwrap(outcomes().takeUp().first)
    let response = try found.outcome.response(for: .memory(), maximumDecodedBytes: 10)
    XCTAssertEqual(response.status, 201)
    XCTAssertEqual(response.headers["Location"], "/files/9")
    XCTAssertEqual(response.bytes, [7])
    outcomes().remove(found.outcome)
    XCTAssertEqual(files(), [])
  }

  func testWhatIsKeptIsSealedUnderTheKeyOfTheQueueWithoutSecretFields() throws {
    let key = SecretKey(bytes: [UInt8](0..<32))
    var outcome = BackgroundOutcome()
    outcome.head = head(200, ["X-Plain": "plain", "Set-Cookie": "a=b"])
    outcome.bytes = Array("in the body".utf8)
    outcomes(key).keep(&outcome, of: exchange)
    let text = try files().map { try Data(contentsOf: URL(fileURLWithPath: "\(folder)/session/\($0)")) }
    XCTAssertEqual(text.count, 1)
    XCTAssertNil(text[0].range(of: Data("in the body".utf8)))
    XCTAssertEqual(
      try FileManager.default.attributesOfItem(atPath: "\(folder)/session/\(files()[0])")[.posixPermissions]
        as? Int, 0o600)
    let found = try XCTUnwrap(outcomes(key).takeUp().first?.outcome)
    XCTAssertEqual(found.head?.headers["X-Plain"], "plain")
    XCTAssertNil(found.head?.headers["Set-Cookie"])
    // Under another key it is nobody's.
    XCTAssertEqual(outcomes(SecretKey(bytes: [UInt8](1...32))).takeUp().count, 0)
    XCTAssertEqual(files(), [])
  }

  func testAFileWithoutAHeadAndAHeadWithoutAFileAreRemoved() throws {
    let first = outcomes().keep(fileAt: try received([1]), head: head(), of: exchange)
    // The process has ended before the head was written.
    outcomes().forget(first)
    let second = outcomes().keep(fileAt: try received([2]), head: head(), of: exchange)
    unlink(try XCTUnwrap(second.file))
    XCTAssertEqual(outcomes().takeUp().count, 0)
    XCTAssertEqual(files(), [])
  }

  func testADamagedHeadIsNotTakenUp() throws {
    let kept = outcomes().keep(fileAt: try received([1]), head: head(), of: exchange)
    let record = try XCTUnwrap(files().first { $0.hasSuffix(".head") })
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/session/\(record)"))
    bytes[bytes.count - 3] ^= 1
    try bytes.write(to: URL(fileURLWithPath: "\(folder)/session/\(record)"))
    chmod("\(folder)/session/\(record)", 0o600)
    XCTAssertEqual(outcomes().takeUp().count, 0)
    XCTAssertEqual(files(), [], "\(kept)")
  }

  func testWhatBelongsToNoTransferIsSwept() throws {
    _ = outcomes().keep(fileAt: try received([1]), head: head(), of: exchange)
    _ = outcomes().keep(fileAt: try received([1]), head: head(), of: "gone " + exchange.dropFirst(5))
    _ = try outcomes().file(
      of: HTTPRequest(method: .put, url: "https://homes.test/", body: .bytes([1])), named: "gone x")
    try Data().write(to: URL(fileURLWithPath: "\(folder)/session/of an earlier version"))
    XCTAssertEqual(files().count, 6)
    outcomes().sweep(keeping: ["0a1b"])
    XCTAssertEqual(files().count, 2)
    XCTAssertEqual(outcomes().takeUp().map(\.name), [exchange])
  }

  func testAResponseAboveALimitFails() throws {
    func reason(_ destination: HTTPExchange.Destination, _ headers: HTTPHeaders = [:]) throws -> APIError
      .Reason?
    {
      let kept = outcomes().keep(fileAt: try received([1, 2, 3]), head: head(200, headers), of: exchange)
      outcomes().forget(kept)
      do throws(APIError) { _ = try kept.response(for: destination, maximumDecodedBytes: 2) } catch {
        return error.reason
      }
      return nil
    }
    XCTAssertNil(try reason(.memory(maximumBytes: 3)))
    XCTAssertEqual(try reason(.memory(maximumBytes: 2)), .responseTooLarge)
    XCTAssertNil(try reason(.stream))
    XCTAssertEqual(try reason(.stream, ["Content-Encoding": "br"]), .responseTooLarge)
    XCTAssertEqual(files(), [])
  }

  func testABodyThatIsNoWholeFileIsCopiedAndTheCopyRemoved() throws {
    let source = "\(folder)/source"
    try Data([1, 2, 3, 4]).write(to: URL(fileURLWithPath: source))
    func file(_ body: HTTPBody) throws -> String? {
      try outcomes().file(
        of: HTTPRequest(method: .put, url: "https://homes.test/", body: body), named: exchange)
    }
    XCTAssertNil(try file(.empty))
    XCTAssertNil(try file(.bytes([])))
    XCTAssertEqual(try file(.file(path: source)), source)
    let rest = try XCTUnwrap(try file(.file(path: source, offset: 1)))
    XCTAssertEqual(FileManager.default.contents(atPath: rest), Data([2, 3, 4]))
    let bytes = try XCTUnwrap(try file(.bytes([9])))
    XCTAssertEqual(FileManager.default.contents(atPath: bytes), Data([9]))
    outcomes().removeBody(named: exchange)
    XCTAssertEqual(files(), [])
    do throws(APIError) {
      _ = try outcomes().file(
        of: HTTPRequest(method: .put, url: "https://homes.test/", body: .stream(HTTPBodyStream { { nil } })),
        named: exchange)
      XCTFail("a stream was taken")
    } catch {
      XCTAssertEqual(error.reason, .unsupportedCapability)
    }
  }
}
