import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import APIKit
@testable import APIKitSockets

/// What is decided about the system's WebSockets without one.
final class SystemSocketRulesTests: XCTestCase {
  func testCodesWithANameAndThoseOfApplicationsLeave() {
    let sendable = (UInt16(0)...UInt16.max).filter(SystemSocketRules.canClose)
    XCTAssertEqual(sendable, [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011] + (3000...4999))
  }

  func testACloseFrameWithoutACodeHasNone() {
    XCTAssertNil(SystemSocketRules.closeCode(0))
    XCTAssertNil(SystemSocketRules.closeCode(1005))
    XCTAssertEqual(SystemSocketRules.closeCode(4001), 4001)
  }

  func testTheRequestIsOneOfWebSockets() throws {
    var request = HTTPRequest(method: .post, url: HTTPURL("https://homes.test:8443/a/b?q=1"))
    request.headers = ["X-Own": "1"]
    let system = try SystemSocketRules.request(
      request, headers: request.headers, MessageWireTerms(subprotocols: ["soap", "chat"]),
      told: SystemRequestTerms(request.options))
    XCTAssertEqual(system.url?.absoluteString, "wss://homes.test:8443/a/b?q=1")
    XCTAssertEqual(system.httpMethod, "GET")
    XCTAssertEqual(system.value(forHTTPHeaderField: "X-Own"), "1")
    XCTAssertEqual(system.value(forHTTPHeaderField: "Sec-WebSocket-Protocol"), "soap, chat")
    let plain = try SystemSocketRules.request(
      HTTPRequest(url: HTTPURL("http://homes.test/")), headers: HTTPHeaders(), MessageWireTerms(),
      told: SystemRequestTerms(HTTPRequestOptions()))
    XCTAssertEqual(plain.url?.absoluteString, "ws://homes.test/")
    XCTAssertNil(plain.value(forHTTPHeaderField: "Sec-WebSocket-Protocol"))
  }

  func testTheResponseHasTheSubprotocolThatTheSystemNames() throws {
    let url = try XCTUnwrap(URL(string: "ws://homes.test/"))
    let system = try XCTUnwrap(
      HTTPURLResponse(url: url, statusCode: 101, httpVersion: "HTTP/1.1", headerFields: ["X-Own": "1"]))
    let response = SystemSocketRules.response(system, choosing: "chat")
    XCTAssertEqual(response.status, 101)
    XCTAssertEqual(response.headers["X-Own"], "1")
    XCTAssertEqual(response.headers["Sec-WebSocket-Protocol"], "chat")
    XCTAssertNil(SystemSocketRules.response(system, choosing: nil).headers["Sec-WebSocket-Protocol"])
  }

  func testErrorsHaveTheReasonOfWhatTheyMean() {
    func reason(_ domain: String, _ code: Int) -> APIError.Reason {
      SystemSocketRules.error(NSError(domain: domain, code: code)).reason
    }
    XCTAssertEqual(reason(NSPOSIXErrorDomain, Int(POSIXErrorCode.EMSGSIZE.rawValue)), .responseTooLarge)
    XCTAssertEqual(reason(NSPOSIXErrorDomain, Int(POSIXErrorCode.EPROTO.rawValue)), .socketProtocolBroken)
    XCTAssertEqual(reason(NSPOSIXErrorDomain, Int(POSIXErrorCode.ECONNRESET.rawValue)), .connectionLost)
    XCTAssertEqual(SystemSocketRules.error(URLError(.networkConnectionLost)).reason, .connectionLost)
    XCTAssertEqual(SystemSocketRules.error(URLError(.cannotFindHost)).reason, .unknownHost)
  }

  #if os(Linux)
    func testTheSystemOfLinuxIsRefusedByName() async throws {
      let transport = try URLSessionTransport()
      let link = UpgradeTransport(transport, options: SocketOptions(), offer: .init(), onStart: {})
      let error = await failure { [link] in
        try await link.send(HTTPExchange(HTTPRequest(url: HTTPURL("https://homes.test/"))))
      }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
      XCTAssertTrue(error?.description.contains("FoundationNetworking") == true, "\(error as Any)")
      let bytes = await failure { try await ByteStream.open("homes.test", port: 1, over: transport) }
      XCTAssertEqual(bytes?.reason, .unsupportedCapability)
      transport.shutdown()
    }
  #endif
}
