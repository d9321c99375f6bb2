import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports
@testable import APIKitTesting

/// A secret is put in fourteen places, and looked for in everything that leaves.
@MainActor final class CanaryTests: TapeCase {
  private let canary = "canary-7f3a9c"

  /// Adds a field as a signer of the application's own would.
  private struct Signer: RequestSigner {
    let canary: String
    func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
      request.headers["X-Own-Seal"] = canary
    }
  }

  func testASecretIsInNothingThatLeaves() async throws {
    let canary = canary
    SecretNames.add("member-card")
    let stub = StubTransport()
    let part = "Content-Disposition: form-data; name=\"pin\"\r\n\r\n\(canary)"
    stub.on(
      .post, "/api/reset/\(canary)",
      .redirect(to: "/api/moved?token=\(canary)", status: 307))
    stub.on(
      "/api/moved",
      .json(
        #"{"access_token": "\#(canary)", "pass\u0077ord": "\#(canary)"}"#, status: 403,
        headers: ["Set-Cookie": "sid=\(canary); Path=/"]))
    stub.on("/api/xml", .bytes(Array("<a><secret>\(canary)</secret></a>".utf8), contentType: "text/xml"))
    stub.on("/api/form", .text("data: {\"token\": \"\(canary)\"}\n\n"))
    stub.on("/api/parts", .status(204))

    let exchanges = ExchangeArchive(keepsBodies: true)
    let statistics = FlightStatistics()
    let lines = Mutex("")
    let sink = RecordSink { record in
      lines.withLock { $0 += String(decoding: record.jsonLine, as: UTF8.self) }
    }
    (statistics.isOn, sink.isOn) = (true, true)
    defer { (statistics.isOn, sink.isOn) = (false, false) }
    let recorder = try recorder(over: exchanges.archiving(stub))

    // 1 path, 2 JSON body, 3 nested, 4 name of the application's, 5 field of the service, 6 field of a signer,
    // 7 Location, 8 its query when it is followed, 9 Set-Cookie, 10 response, 11 escaped name in it.
    var service = TestService(StubTransport())
    service.client = HTTPClient(transport: recorder)
    service.extraHeaders = ["Authorization": "Bearer \(canary)", "Cookie": "a=\(canary)"]
    service.signer = Signer(canary: canary)
    let manager = TestManager(service)
    manager.method = .post
    manager.apiName = "reset/{token}"
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response(
        [
          "token": canary, "password": canary, "user": "ann",
          "deep": Parameters(["otp": canary, "memberCard": canary]),
        ])
    }
    // 12 form, 13 part of a multipart body, 14 XML; and text that has JSON in it.
    func body(_ path: String, _ type: String, _ text: String) throws -> HTTPRequest {
      HTTPRequest(
        method: .post, url: try HTTPURL("https://homes.test/api/\(path)"), headers: ["Content-Type": type],
        body: .bytes(Array(text.utf8)))
    }
    let requests = [
      try body("form", "application/x-www-form-urlencoded", "a=1&pass%77ord=\(canary)"),
      try body("parts", "multipart/form-data; boundary=b", "--b\r\n\(part)\r\n--b--"),
      try body("xml", "application/xml", "<a token=\"\(canary)\"><password>\(canary)</password></a>"),
    ]
    for request in requests { _ = try await recorder.send(request) }
    await sink.flush()

    let sent = stub.requests
    let bodies = sent.map { text($0.body) }
    let evidence = try XCTUnwrap(error.evidence)
    let response = text(.bytes(evidence.body))
    var places: [Bool] = []
    places.append(sent[0].url.path.contains(canary))
    for name in ["password", "otp", "memberCard"] {
      places.append(bodies[0].contains("\"\(name)\":\"\(canary)"))
    }
    places.append(sent[0].headers["Authorization"] == "Bearer \(canary)")
    places.append(sent[0].headers["Cookie"] == "a=\(canary)")
    places.append(sent[0].headers["X-Own-Seal"] == canary)
    places.append(sent[1].url.query == "token=\(canary)")
    places.append(evidence.headers.contains { $0.value.contains(canary) })
    for name in ["access_token", "u0077ord"] { places.append(response.contains("\(name)\": \"\(canary)")) }
    for body in bodies[2...4] { places.append(body.contains(canary)) }
    XCTAssertEqual(places, Array(repeating: true, count: 14), "the canary was not sent")

    let record = try XCTUnwrap(error.record)
    let report = statistics.report
    let outputs: [(String, String)] = [
      ("archive", String(decoding: exchanges.archive.harBytes(), as: UTF8.self)),
      ("tape", String(decoding: recorder.tape.data, as: UTF8.self)),
      ("record", record.description), ("lines", lines.withLock { $0 }), ("statistics", report.description),
      ("metrics", report.openMetrics), ("page", ReportPage(report, records: [record]).html),
      ("error", error.description), ("request", "\(requests)"),
      ("curl", requests.map { $0.curlCommand() }.joined()),
      ("request of the load", error.request?.description ?? ""),
      ("curl of the load", error.request?.curlCommand() ?? ""),
      ("response", error.response?.description ?? ""),
    ]
    for (name, output) in outputs {
      XCTAssertFalse(output.isEmpty, name)
      if let range = output.range(of: canary) {
        let start =
          output.index(range.lowerBound, offsetBy: -120, limitedBy: output.startIndex) ?? output.startIndex
        XCTFail("\(name): …\(output[start..<range.upperBound])")
      }
    }
    for name in ["reset/{token}", "homes.test"] {
      XCTAssertTrue(outputs[0].1.contains(name) && outputs[6].1.contains(name), "\(name) is shown")
    }
  }

  private func text(_ body: HTTPBody) -> String {
    if case .bytes(let bytes) = body { return String(decoding: bytes, as: UTF8.self) }
    return ""
  }
}
