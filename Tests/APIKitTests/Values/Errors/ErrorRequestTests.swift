import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// What an error keeps of its request and response.
@MainActor final class ErrorRequestTests: XCTestCase {
  private let stub = StubTransport(.json(#"{"message": "no home 7", "hint": {"id": 8}}"#, status: 404))

  private func failure(_ manager: TestManager, _ parameters: Parameters = [:]) async throws -> APIError {
    try await errorThrown { () throws(APIError) in try await manager.response(parameters) }
  }

  func testAnErrorKeepsItsRequestAsItWasSentAndNoTextShowsItsSecrets() async throws {
    let manager = TestManager(stub)
    manager.service.signer = HMACSigner(key: SecretKey(bytes: Array("S3CRET-KEY".utf8)), keyID: "me")
    manager.method = .post
    manager.headers = ["Authorization": "Bearer S3CRET", "X-Trace": "t7"]
    let error = try await failure(manager, ["city": "Suzhou", "password": "S3CRET"])
    let request = try XCTUnwrap(error.request)
    XCTAssertEqual(request.headers.map(\.name), stub.requests[0].headers.map(\.name), "as signed")
    XCTAssertEqual(request.headers["authorization"], stub.requests[0].headers["authorization"])
    XCTAssertGreaterThan(request.headers.count, 3)
    let command = request.curlCommand()
    XCTAssertTrue(command.contains("Suzhou") && command.contains("t7"), command)
    XCTAssertTrue(error.expandedDescription.contains("X-Trace: t7"), error.expandedDescription)
    var dumped = ""
    dump(error, to: &dumped)
    for text in [
      command, "\(request)", "\(error)", String(reflecting: error), dumped, error.expandedDescription,
      error.localizedDescription, error.failureReason ?? "",
    ] {
      XCTAssertFalse(text.contains("S3CRET"), text)
    }
  }

  func testItIsTheRequestOfTheLastAttempt() async throws {
    stub.on("/api/list", .status(302, headers: ["Location": "/api/moved"]))
    let error = try await failure(TestManager(stub))
    XCTAssertEqual(error.request?.url.path, "/api/moved")
  }

  func testWhatFailsBeforeItIsSentHasTheRequestAsAssembledOrNone() async throws {
    struct Refusing: RequestSigner {
      func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
        throw APIError(.signing, .signingFailed)
      }
    }
    let manager = TestManager(stub)
    manager.service.signer = Refusing()
    let unsigned = try await failure(manager, ["page": 2])
    XCTAssertEqual(unsigned.request?.url.query, "page=2")
    manager.apiName = "{id}"
    let unassembled = try await failure(manager)
    XCTAssertNil(unassembled.request)
    XCTAssertNil(APIError(.transport, .unknownHost).request)
  }

  func testLoadsThatShareARequestShareItInTheirErrors() async throws {
    stub.hold()
    let managers = [TestManager(stub), TestManager(stub)]
    let recorder = Recorder()
    for manager in managers {
      manager.joinsIdenticalFlights = true
      manager.delegate = recorder
      manager.load(["page": 1])
    }
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(recorder.errors.map(\.request?.url.query), ["page=1", "page=1"])
    XCTAssertEqual(recorder.errors.map { $0.raw.message.string }, ["no home 7", "no home 7"])
  }

  func testTheServicesHookSeesItToo() async throws {
    let seen = Record<String?>()
    let manager = TestManager(stub)
    manager.service.onError = { error in
      seen.add(error.request?.url.path)
      seen.add(error.raw.message.string)
      return .letThrough
    }
    _ = try await failure(manager)
    XCTAssertEqual(seen.all, ["/api/list", "no home 7"])
  }

  func testTheClientsOwnErrorsHaveItToo() async throws {
    stub.on("/gone", .failure(.connectionLost))
    let error = try await errorThrown { () throws(APIError) in
      try await HTTPClient(transport: stub).send(HTTPExchange(HTTPRequest(url: "https://a.test/gone")))
    }
    XCTAssertEqual(error.request?.url, "https://a.test/gone")
  }

  func testTheJSONOfARefusedStatusCanBeRead() async throws {
    let error = try await failure(TestManager(stub))
    XCTAssertEqual(error.raw.message.string, "no home 7")
    XCTAssertEqual(error.raw.hint.id.int, 8)
  }

  func testABodyIsDecodedAsTheServiceDecodesBodies() async throws {
    struct Words: BodyDecoder {
      func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
        ["words": RawData(stringLiteral: String(decoding: bytes, as: UTF8.self))]
      }
    }
    stub.on("/api/list", .bytes(Array("no home".utf8), status: 404, contentType: "text/words"))
    let manager = TestManager(stub)
    let unknown = try await failure(manager)
    XCTAssertFalse(unknown.raw.exists)
    XCTAssertEqual(unknown.response?.bytes, Array("no home".utf8))
    manager.service.decoders.register(Words(), for: "text/words")
    let known = try await failure(manager)
    XCTAssertEqual(known.raw.words.string, "no home")
  }

  func testWithoutAResponseThereIsNoRawData() {
    XCTAssertFalse(APIError(.transport, .unknownHost).raw.exists)
  }
}
