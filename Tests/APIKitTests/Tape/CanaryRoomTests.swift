#if os(Linux)
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitTransfers
  @testable import APIKitSockets
  @testable import APIKitReports
  @testable import APIKitTesting

  private struct RoomService: APIService {
    let name = "Rooms"
    let environments: ServiceEnvironments
    let wire: WireOptions
    let admission: AdmissionOptions
    let secret: String

    func headers(for call: APICall) -> HTTPHeaders {
      ["Authorization": "Bearer \(secret)", "X-Api-Key": secret, "Cookie": "sid=\(secret)"]
    }
  }

  private final class Socket: BaseSocketManager, SocketManager {
    let service: RoomService
    let apiName = "socket"
    let reconnection = ReconnectPolicy.never
    init(_ service: RoomService) { self.service = service }
  }

  private final class Events: BaseEventStreamManager, EventStreamManager {
    let service: RoomService
    let apiName = "events"
    let reconnection = ReconnectPolicy.never
    init(_ service: RoomService) { self.service = service }
  }

  private final class Downloads: BaseDownloadManager, DownloadManager {
    let service: RoomService
    let apiName = "files/{token}"
    init(_ service: RoomService) { self.service = service }
  }

  private final class Uploads: BaseUploadManager, UploadManager {
    let service: RoomService
    let apiName = "uploads"
    var uploadProtocol = UploadProtocol.plain
    init(_ service: RoomService) { self.service = service }
  }

  private final class Reports: BaseAPIManager, APIManager {
    let service: RoomService
    let apiName = "report"
    init(_ service: RoomService) { self.service = service }
  }

  /// The canary of ``CanaryTests`` in what sockets, streams, transfers, pools and XML bring with them.
  @MainActor final class CanaryRoomTests: TapeCase {
    private let canary = "canary-7f3a9c"

    /// The responses of a server that refuses nearly everything, and repeats secrets when it does.
    private nonisolated static func response(_ request: ScriptedServer.Received, _ canary: String) -> [UInt8]
    {
      let cookie: HTTPHeaders = ["Set-Cookie": "sid=\(canary); Path=/"]
      func refusal(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var fields = cookie
        fields["Content-Type"] = type
        return ScriptedServer.response(403, fields, body)
      }
      switch request.target.split(separator: "?")[0] {
      case "/api/report":
        let xml =
          "<e xmlns:n=\"u\"><n:password><![CDATA[\(canary)]]></n:password><pin value=\"\(canary)\"/></e>"
        return refusal("application/xml", [0xFF, 0xFE] + (xml.data(using: .utf16LittleEndian) ?? Data()))
      case "/api/uploads": return refusal("application/json", Array("{\"uploadToken\": \"\(canary)\"}".utf8))
      case "/api/socket": return refusal("application/json", Array("{\"access_token\": \"\(canary)\"}".utf8))
      default: return refusal("text/plain", Array("data: {\"token\": \"\(canary)\"}\n\n".utf8))
      }
    }

    func testASecretOfTheNewerRoomsIsInNothingThatLeaves() async throws {
      let canary = canary
      SecretNames.add("upload-token")
      let server = try ScriptedServer.serving { Self.response($0, canary) }
      defer { server.stop() }
      let refusing = try ScriptedServer(.waitForClose)
      refusing.stop()
      refusing.waitUntilIdle()
      let exchanges = ExchangeArchive(keepsBodies: true)
      let recorder = try recorder(over: CurlTransport(.ephemeral))
      let statistics = FlightStatistics()
      let lines = Mutex("")
      let sink = RecordSink { record in
        lines.withLock { $0 += String(decoding: record.jsonLine, as: UTF8.self) }
      }
      (statistics.isOn, sink.isOn) = (true, true)
      defer { (statistics.isOn, sink.isOn) = (false, false) }
      let last = FlightLog.shared.records.last?.flight ?? FlightID(rawValue: 0)

      // The list of the hosts has a secret as well, and is no list.
      let pool = HostPool.still(
        try [refusing, server].map { try HostAddress("127.0.0.1:\($0.port)") },
        source: .resolver(LeakingResolver(canary: canary)))
      func service(over transport: any HTTPTransport) -> RoomService {
        RoomService(
          environments: ServiceEnvironments("http://named.test/api"),
          wire: WireOptions(client: HTTPClient(transport: exchanges.archiving(transport))),
          admission: AdmissionOptions(network: NetworkMonitor(watchesSystem: false), hosts: pool),
          secret: canary)
      }
      let curl = service(over: try CurlTransport(.ephemeral))
      let secrets: Parameters = ["token": canary, "memberPassword": canary]
      let path = folder + "/file"
      try Data(canary.utf8).write(to: URL(fileURLWithPath: path))

      var texts: [String] = []
      func note(_ error: APIError?) {
        guard let error else { return }
        texts += [error.description, error.label, error.response?.description ?? ""]
        texts.append(error.request.map { "\($0)" } ?? "")
      }
      note(await TestSupport.failure { try await Socket(curl).opened(secrets) })
      let log = ClosingLog()
      let events = Events(curl)
      events.delegate = log
      events.open(secrets)
      await waitUntil { log.closing != nil }
      note(log.closing?.error)
      note(
        await TestSupport.failure {
          try await Downloads(curl).file(secrets, to: .file(self.folder + "/got", overwrites: true))
        })
      for kind in [UploadProtocol.plain, .tus(TusOptions())] {
        let uploads = Uploads(curl)
        uploads.uploadProtocol = kind
        note(await TestSupport.failure { try await uploads.response(uploading: .file(path: path), secrets) })
      }
      note(await TestSupport.failure { try await Reports(service(over: recorder)).response(secrets) })
      await sink.flush()

      let sent = server.requests
      XCTAssertEqual(
        Set(sent.map { String($0.target.prefix { $0 != "?" }) }).count, 5, "\(sent.map(\.target))")
      XCTAssertTrue(sent.allSatisfy { $0.headers["X-Api-Key"] == canary })
      XCTAssertTrue(sent.contains { $0.target.contains("token=\(canary)") }, "the canary was not sent")
      XCTAssertTrue(sent.contains { $0.text == canary }, "the file was not sent")

      let records = FlightLog.shared.records.filter { $0.flight > last && $0.service == "Rooms" }
      XCTAssertGreaterThanOrEqual(records.count, 6)
      let report = statistics.report
      var outputs = [
        ("archive", String(decoding: exchanges.archive.harBytes(), as: UTF8.self)),
        ("tape", String(decoding: recorder.tape.data, as: UTF8.self)),
        ("records", records.map(\.description).joined()), ("lines", lines.withLock { $0 }),
        ("statistics", report.description), ("metrics", report.openMetrics),
        ("page", ReportPage(report, records: records).html),
        ("texts", texts.joined(separator: "\n")),
        ("pool", "\(pool.status)"),
      ]
      // What is no text is in base64.
      for entry in exchanges.archive.entries + recorder.tape.archive.entries {
        for body in [entry.request.body.bytes, entry.response?.body.bytes] {
          let bytes = body ?? []
          outputs.append(
            ("body of \(entry.request.url)", String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)))
        }
      }
      for (name, output) in outputs {
        guard let range = output.range(of: canary) else { continue }
        let start =
          output.index(range.lowerBound, offsetBy: -120, limitedBy: output.startIndex) ?? output.startIndex
        XCTFail("\(name): …\(output[start..<range.upperBound])")
      }
      for name in ["socket", "events", "files/{token}", "uploads", "report"] {
        XCTAssertTrue(outputs[0].1.contains(name), "\(name) is not in the archive")
        XCTAssertTrue(outputs[2].1.contains(name), "\(name) is in no record")
      }
    }
  }

  private struct LeakingResolver: HostResolver {
    let canary: String
    func resolve(_ name: String) async throws -> HostResolution {
      HostResolution(["token=\(canary)"], timeToLive: .seconds(60))
    }
  }

  @MainActor private final class ClosingLog: EventStreamDelegate {
    private(set) var closing: StreamClosing?
    func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) {}
    func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
      self.closing = closing
    }
  }
#endif
