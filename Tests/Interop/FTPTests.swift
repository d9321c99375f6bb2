#if os(Linux)
  import APIKit
  import Foundation
  import TestServers
  import XCTest

  /// ftp and ftps against pyftpdlib: files go both ways, and each fault has its own reason.
  final class FTPTests: XCTestCase {
    private static let sites: [FTPServer.Site] = [.plain, .tls]

    private func server() throws -> FTPServer { try needing { try FTPServer.shared() } }

    private func transport(_ change: (inout TransportConfiguration) throws -> Void = { _ in }) throws
      -> CurlTransport
    {
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: try server().certificates.root.path)
      try change(&configuration)
      return try CurlTransport(configuration)
    }

    private func request(
      _ method: HTTPMethod = .get, _ path: String, _ site: FTPServer.Site,
      password: String? = FTPServer.password
    ) throws -> HTTPRequest {
      var request = HTTPRequest(method: method, url: try HTTPURL(try server().url(path, site: site)))
      request.options.login = password.map { HTTPLogin(user: FTPServer.user, password: $0) }
      return request
    }

    private func failure(_ request: HTTPRequest, over transport: CurlTransport? = nil) async throws
      -> APIError
    {
      do {
        let response = try await (transport ?? self.transport()).send(request)
        throw TestServerError("\(request.url) gave \(response.bytes.count) bytes, and should have failed")
      } catch let error as APIError {
        return error
      }
    }

    /// A file of its own for one test, below the served folder.
    private func place(_ content: Data?) throws -> (name: String, file: URL) {
      let name = "\(UUID().uuidString).bin"
      let file = try server().files.appendingPathComponent(name)
      try content?.write(to: file)
      addTeardownBlock { try? FileManager.default.removeItem(at: file) }
      return (name, file)
    }

    private static let content = Data((0..<300_000).map { UInt8($0 % 251) })

    func testAFileIsRead() async throws {
      let (name, _) = try place(Self.content)
      let transport = try transport()
      for site in Self.sites {
        for password in [FTPServer.password, nil] {
          let response = try await transport.send(request(.get, "/\(name)", site, password: password))
          XCTAssertEqual(Data(response.bytes), Self.content, "\(site)")
          XCTAssertEqual(response.status, 200)
          XCTAssertEqual(response.metrics.bytesReceived, Int64(Self.content.count))
          XCTAssertEqual(response.metrics.tlsProtocol != nil, site == .tls)
        }
      }
    }

    func testAFileIsReadToAFileAndInChunks() async throws {
      let (name, file) = try place(Self.content)
      let transport = try transport()
      let target = file.path + ".down"
      addTeardownBlock { try? FileManager.default.removeItem(atPath: target) }
      for site in Self.sites {
        let request = try request(.get, "/\(name)", site)
        _ = try await transport.send(HTTPExchange(request, destination: .file(path: target)))
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: target)), Self.content)
        let streamed = try await transport.send(HTTPExchange(request, destination: .stream))
        guard case .stream(let stream) = streamed.body else { return XCTFail("no stream") }
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        XCTAssertEqual(Data(bytes), Self.content)
      }
    }

    func testBodiesOfEveryKindAreWritten() async throws {
      let transport = try transport()
      let (_, source) = try place(Self.content)
      let bodies: [(HTTPBody, Data)] = [
        (.empty, Data()), (.bytes(Array("small".utf8)), Data("small".utf8)),
        (.bytes([UInt8](Self.content)), Self.content), (.file(path: source.path), Self.content),
        (.stream(HTTPBodyStream(isReplayable: false) { Once("a stream").next }), Data("a stream".utf8)),
      ]
      for site in Self.sites {
        for (body, expected) in bodies {
          let (name, file) = try place(nil)
          var request = try request(.put, "/\(name)", site)
          request.body = body
          let response = try await transport.send(request)
          XCTAssertEqual(response.status, 200)
          let written = try Data(contentsOf: file)
          XCTAssertTrue(written == expected, "\(site): \(written.count) of \(expected.count) bytes")
        }
      }
    }

    func testALargeFileIsWrittenWholeEachTime() async throws {
      let transport = try transport()
      let content = [UInt8](repeating: 7, count: 3 << 20)
      for site in Self.sites {
        for _ in 0..<10 {
          let (name, file) = try place(nil)
          var request = try request(.put, "/\(name)", site)
          request.body = .bytes(content)
          _ = try await transport.send(request)
          XCTAssertEqual(try Data(contentsOf: file).count, content.count, "\(site)")
        }
      }
      let strict = try self.transport { $0.tls.minimumVersion = .tls1_3 }
      let refused = try await failure(request(.put, "/refused", .tls), over: strict)
      XCTAssertEqual(refused.reason, .unsupportedCapability, refused.description)
      let read = try await strict.send(request(.get, "/", .tls))
      XCTAssertEqual(read.metrics.tlsProtocol?.hasPrefix("TLSv1.3"), true)
    }

    func testHEADTellsTheSizeAndGETOfAFolderListsIt() async throws {
      let (name, _) = try place(Data("six by".utf8))
      let transport = try transport()
      for site in Self.sites {
        let head = try await transport.send(request(.head, "/\(name)", site))
        XCTAssertEqual(head.headers["Content-Length"], "6")
        XCTAssertNotNil(head.headers["Last-Modified"])
        XCTAssertTrue(head.bytes.isEmpty, String(decoding: head.bytes, as: UTF8.self))
        let list = try await transport.send(request(.get, "/", site))
        XCTAssertTrue(String(decoding: list.bytes, as: UTF8.self).contains(name))
      }
    }

    func testEachFaultHasItsOwnReason() async throws {
      for site in Self.sites {
        let wrong = try await failure(request(.get, "/", site, password: "wrong"))
        XCTAssertEqual(wrong.reason, .loginDenied, wrong.description)
        for path in ["/no-such-file", "/no-such-folder/file", "/no-such-folder/"] {
          let missing = try await failure(request(.get, path, site))
          XCTAssertEqual(missing.reason, .remoteFileUnavailable, "\(path): \(missing)")
        }
        var upload = try request(.put, "/refused", site, password: nil)
        upload.body = .bytes([1])
        let refused = try await failure(upload)
        XCTAssertEqual(refused.reason, .remoteFileRefused, refused.description)
        let injected = try await failure(request(.get, "/a%0D%0ADELE%20b", site))
        XCTAssertEqual(injected.reason, .invalidURL, injected.description)
      }
    }

    func testAnAuthorityNobodyKnowsIsRefused() async throws {
      let stranger = try transport { $0.tls.trust = .system }
      let unknown = try await failure(request(.get, "/", .tls), over: stranger)
      XCTAssertEqual(unknown.reason, .certificateUntrusted, unknown.description)
      var elsewhere = try request(.get, "/", .tls)
      elsewhere.url = try HTTPURL(server().url("/", site: .tls).replacing("localhost", with: "bad.test"))
      elsewhere.options.connectTo = "127.0.0.1"
      let name = try await failure(elsewhere)
      XCTAssertEqual(name.reason, .certificateHostMismatch, name.description)
    }

    func testDataThatWouldTravelInTheClearIsRefused() async throws {
      let (name, file) = try place(nil)
      let read = try await failure(request(.get, "/", .clearData))
      XCTAssertEqual(read.reason, .tlsHandshakeFailed, read.description)
      var upload = try request(.put, "/\(name)", .clearData)
      upload.body = .bytes(Array("secret".utf8))
      let written = try await failure(upload)
      XCTAssertEqual(written.reason, .tlsHandshakeFailed, written.description)
      XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    }

    func testWhatFTPCannotDoIsRefusedByName() async throws {
      let transport = try transport()
      for method: HTTPMethod in [.post, .delete, .patch] {
        let error = try await failure(request(method, "/", .plain), over: transport)
        XCTAssertEqual(error.reason, .unsupportedCapability)
        XCTAssertTrue(error.description.contains(method.rawValue), error.description)
      }
      var packed = try request(.put, "/packed", .plain)
      packed.body = .bytes([1])
      packed.options.compressesBody = true
      var part = try request(.get, "/", .plain)
      part.headers["Range"] = "bytes=1-2"
      var body = try request(.get, "/", .plain)
      body.body = .bytes([1])
      for request in [packed, part, body] {
        let error = try await failure(request, over: transport)
        XCTAssertEqual(error.reason, .unsupportedCapability, error.description)
      }
      let pin = try PinSet.Pin(try server().certificates.publicKeyPin(.good))
      let pinned = try self.transport {
        $0.tls.pinning = .publicKey(PinSet([.init("localhost", pins: [pin])]))
      }
      let error = try await failure(request(.get, "/", .tls), over: pinned)
      XCTAssertEqual(error.reason, .unsupportedCapability, error.description)
    }

    func testALateReplyOfFTPHoldsNoHTTPUp() async throws {
      let nginx = try needing { try NginxServer.shared() }
      let (name, _) = try place(Self.content)
      let (transport, clock) = (try transport(), ContinuousClock())
      let request = try request(.get, "/\(name)", .slowEnd)
      let slow = Task { try await transport.send(request) }
      let start = clock.now
      var slowest = Duration.zero
      while clock.now - start < .milliseconds(600) {
        let began = clock.now
        _ = try await transport.send(HTTPRequest(url: try HTTPURL(nginx.url("/echo"))))
        slowest = max(slowest, clock.now - began)
      }
      XCTAssertLessThan(slowest, .milliseconds(500))
      let bytes = try await slow.value.bytes
      XCTAssertEqual(Data(bytes), Self.content)
      XCTAssertGreaterThan(clock.now - start, .milliseconds(900), "the server was not slow")
    }

    func testCancellingAndStoppingEndATransfer() async throws {
      let (name, _) = try place(Data(count: 64 << 20))
      for stops in [false, true] {
        let transport = try transport()
        let response = try await transport.send(
          HTTPExchange(request(.get, "/\(name)", .plain), destination: .stream))
        guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
        let reading = Task {
          var count = 0
          for try await chunk in stream {
            count += chunk.count
            try await Task.sleep(for: .milliseconds(20))
          }
          return count
        }
        try await Task.sleep(for: .milliseconds(60))
        if stops { await transport.shutdown() } else { reading.cancel() }
        do {
          let count = try await reading.value
          XCTAssertLessThan(count, 64 << 20, "it was read to its end")
        } catch let error as APIError {
          XCTAssertEqual(error.reason, stops ? .transportStopped : .cancelled)
        } catch {
          XCTAssertTrue(error is CancellationError, "\(error)")
        }
        guard stops else { continue }
        let late = try await failure(request(.get, "/\(name)", .plain), over: transport)
        XCTAssertEqual(late.reason, .transportStopped)
      }
    }

    func testTransportsThatGoLeaveNoThreadAndNoDescriptor() async throws {
      let (name, _) = try place(Data("six by".utf8))
      func useOne() async throws {
        let transport = try transport()
        _ = try await transport.send(request(.get, "/\(name)", .plain))
        _ = try await transport.send(request(.get, "/\(name)", .tls))
        await transport.shutdown()
      }
      func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")) ?? []
      }
      /// The threads of transports; those of the system's pools come and go.
      func threads() -> Int {
        names("task").count { thread in
          let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
          return name?.hasPrefix("apikit-") == true
        }
      }
      func descriptors() -> Int { names("fd").count }
      try await useOne()
      try await Task.sleep(for: .milliseconds(200))
      let before = (threads: threads(), descriptors: descriptors())
      for _ in 0..<15 { try await useOne() }
      for _ in 0..<500 where threads() > before.threads || descriptors() > before.descriptors + 3 {
        try await Task.sleep(for: .milliseconds(10))
      }
      XCTAssertLessThanOrEqual(threads(), before.threads)
      // A run loop of Foundation, which may begin meanwhile, has three; a transport that keeps one makes fifteen.
      XCTAssertLessThanOrEqual(descriptors(), before.descriptors + 3)
    }

    func testHTTPGoesOnBesideFTP() async throws {
      let nginx = try needing { try NginxServer.shared() }
      let (name, _) = try place(Data("six by".utf8))
      let transport = try transport()
      let url = try HTTPURL(nginx.url("/echo"))
      for _ in 0..<3 {
        let file = try await transport.send(request(.get, "/\(name)", .plain))
        XCTAssertEqual(file.bytes.count, 6)
        var upload = try request(.put, "/\(name)", .tls)
        upload.body = .bytes(Array("six by".utf8))
        _ = try await transport.send(upload)
        let echo = try await transport.send(
          HTTPRequest(method: .post, url: url, body: .bytes(Array("a=1".utf8))))
        XCTAssertEqual(echo.status, 200)
        let json = try RawData(parsing: echo.bytes)
        XCTAssertEqual(json["method"].string, "POST")
        XCTAssertEqual(json["authorization"].string, "")
      }
    }
  }

  /// One chunk and the end.
  private final class Once: Sendable {
    private let rest: Mutex<String?>

    init(_ text: String) { rest = Mutex(text) }

    var next: HTTPBodyStream.Source {
      {
        self.rest.withLock { rest in
          defer { rest = nil }
          return rest.map { Array($0.utf8) }
        }
      }
    }
  }
#endif
