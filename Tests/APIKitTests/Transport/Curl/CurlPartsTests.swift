#if os(Linux)
  import CAPIKit
  import XCTest

  @testable import APIKit

  /// The parts of the libcurl transport that need no socket.
  final class CurlPartsTests: XCTestCase {
    // MARK: The transfer's machine

    private let limits = CurlLimits(
      HTTPTimeouts(connect: .seconds(2), idle: .seconds(3), total: .seconds(10)))

    func testUntilTheConnectionStandsOnlyItsOwnLimitAndTheTotalCount() {
      let machine = CurlTransferMachine(limits, posted: 0, now: 1_000_000)
      XCTAssertEqual(machine.deadline(isPaused: false), 3_000_000)
      XCTAssertNil(machine.overdue(at: 2_999_999, isPaused: false))
      XCTAssertEqual(machine.overdue(at: 3_000_000, isPaused: false)?.reason, .connectTimeout)
    }

    func testEveryByteMovesTheIdleLimitAndAPauseTakesItAway() {
      var machine = CurlTransferMachine(limits, posted: 0, now: 0)
      machine.connected(at: 1_000_000, hadResponse: false, tried(true))
      XCTAssertEqual(machine.deadline(isPaused: false), 4_000_000)
      machine.moved(at: 3_000_000, isResponse: true)
      XCTAssertEqual(machine.deadline(isPaused: false), 6_000_000)
      XCTAssertEqual(machine.overdue(at: 6_000_000, isPaused: false)?.reason, .idleTimeout)
      XCTAssertNil(machine.overdue(at: 6_000_000, isPaused: true))
      XCTAssertEqual(machine.deadline(isPaused: true), 10_000_000)
    }

    func testTheTotalLimitCountsFromWhenTheTransportTookTheRequest() {
      var machine = CurlTransferMachine(limits, posted: 1_000_000, now: 9_500_000)
      machine.connected(at: 10_000_000, hadResponse: false, tried(true))
      XCTAssertEqual(machine.deadline(isPaused: false), 11_000_000)
      XCTAssertEqual(machine.overdue(at: 11_000_000, isPaused: true)?.reason, .totalTimeout)
    }

    func testALimitOfZeroIsNoneAndAnEndedAttemptHasNone() {
      let none = CurlLimits(HTTPTimeouts(connect: .zero, idle: .zero, total: .zero))
      var machine = CurlTransferMachine(none, posted: 0, now: 0)
      XCTAssertEqual(machine.deadline(isPaused: false), .max)
      machine.connected(at: 5, hadResponse: false, tried(true))
      XCTAssertEqual(machine.deadline(isPaused: false), .max)
      var limited = CurlTransferMachine(limits, posted: 0, now: 0)
      limited.end()
      XCTAssertEqual(limited.deadline(isPaused: false), .max)
      XCTAssertNil(limited.overdue(at: .max, isPaused: false))
      limited.moved(at: 1, isResponse: true)
      XCTAssertEqual(limited.state, .ended)
    }

    func testTheFirstFailureStays() {
      var machine = CurlTransferMachine()
      machine.fail(APIError(.transport, .responseTooLarge))
      machine.fail(APIError(.transport, .connectionLost))
      XCTAssertEqual(machine.failure?.reason, .responseTooLarge)
    }

    private func tried(_ isIdempotent: Bool) -> TriedRequest {
      TriedRequest(progress: .unsent, isIdempotent: isIdempotent, isBodyReplayable: true)
    }

    func testARequestThatHasLeftIsSentAgainOnlyWhenItIsIdempotentOrWasChallenged() {
      typealias Step = (inout CurlTransferMachine) -> Void
      // What happens between two times that the request is about to be sent.
      let nothing: Step = { _ in }
      let upload: Step = { $0.sent(.partlySent) }
      let request: Step = { $0.sent(.sent) }
      let response: Step = {
        $0.sent(.sent)
        $0.moved(at: 1, isResponse: true)
      }
      for (what, hadResponse, isResend) in [
        (nothing, false, false), (upload, false, true), (request, false, true), (response, false, true),
        (response, true, false),
      ] {
        for isIdempotent in [true, false] {
          for opensSocket in [true, false] where !hadResponse {
            var machine = CurlTransferMachine(limits, posted: 0, now: 0)
            machine.connected(at: 0, hadResponse: false, tried(isIdempotent))
            what(&machine)
            if opensSocket {
              XCTAssertEqual(machine.connectionEnded(at: 1, tried(isIdempotent)), !isResend || isIdempotent)
              XCTAssertEqual(machine.state == .connecting, machine.failure == nil)
            }
            machine.connected(at: 2, hadResponse: hadResponse, tried(isIdempotent))
            XCTAssertEqual(machine.failure?.reason, isResend && !isIdempotent ? .connectionLost : nil)
            XCTAssertEqual(machine.resends, isResend && isIdempotent ? 1 : 0)
            XCTAssertEqual(machine.state, .requesting)
          }
        }
      }
      // The status of a challenge says nothing about what was sent after it.
      var machine = CurlTransferMachine(limits, posted: 0, now: 0)
      machine.connected(at: 0, hadResponse: false, tried(false))
      machine.sent(.sent)
      machine.moved(at: 1, isResponse: true)
      machine.connected(at: 2, hadResponse: true, tried(false))
      XCTAssertEqual(machine.progress, .unsent)
      XCTAssertNil(machine.failure)
      machine.sent(.sent)
      machine.connected(at: 3, hadResponse: true, tried(false))
      XCTAssertEqual(machine.failure?.reason, .connectionLost)
    }

    func testAnIdempotentRequestIsSentAgainOnceOnly() {
      var machine = CurlTransferMachine(limits, posted: 0, now: 0)
      for _ in 0..<2 {
        machine.connected(at: 0, hadResponse: false, tried(true))
        XCTAssertNil(machine.failure)
        machine.sent(.sent)
      }
      XCTAssertFalse(machine.connectionEnded(at: 1, tried(true)))
      XCTAssertEqual(machine.failure?.reason, .connectionLost)
      XCTAssertEqual(machine.resends, 1)
    }

    func testARequestThatTheServerDidNotReadCountsAsUnsent() {
      var refused = tried(false)
      refused.isUnprocessed = true
      var machine = CurlTransferMachine(limits, posted: 0, now: 0)
      machine.connected(at: 0, hadResponse: false, tried(false))
      machine.sent(.sent)
      machine.connected(at: 1, hadResponse: false, refused)
      XCTAssertNil(machine.failure)
      XCTAssertEqual(machine.progress, .unsent)
      XCTAssertEqual(machine.resends, 1)
    }

    func testAnAttemptThatLeavesItsConnectionConnectsAnewAndForgetsNothingOfWhatWasSentBefore() {
      for wasSent in [true, false] {
        var machine = CurlTransferMachine(limits, posted: 0, now: 0)
        machine.connected(at: 0, hadResponse: false, tried(true))
        if wasSent {
          machine.sent(.sent)
          machine.connected(at: 1_000_000, hadResponse: false, tried(true))
        }
        machine.startAgain(at: 3_000_000)
        XCTAssertEqual(machine.state, .connecting)
        XCTAssertTrue(machine.hasStartedAgain)
        XCTAssertEqual(machine.deadline(isPaused: false), 5_000_000)
        machine.connected(at: 4_000_000, hadResponse: false, tried(true))
        XCTAssertNil(machine.failure)
        XCTAssertEqual(machine.resends, wasSent ? 1 : 0)
        XCTAssertEqual(machine.progress, wasSent ? .sent : .unsent)
      }
    }

    // MARK: The queue

    /// A job that waits as it does behind a transport.
    private func job(_ host: String, in queue: inout CurlQueue) throws -> CurlJob {
      let mailbox = try CurlMailbox()
      let job = CurlJob(
        HTTPExchange(HTTPRequest(url: HTTPURL(stringLiteral: "http://\(host)/"))), mailbox,
        limits: CurlLimits(.standard), completion: .callback { _ in })
      job.start()
      var messages: [CurlMailbox.Message] = []
      mailbox.take(&messages)
      XCTAssertEqual(messages.count, 1)
      queue.append(job)
      return job
    }

    func testALaneIsFirstComeFirstServedUpToItsLimit() throws {
      var queue = CurlQueue(ConnectionLimits(perHost: 2), multiplexedLimit: 64)
      var jobs: [CurlJob] = []
      for _ in 0..<4 { jobs.append(try job("a", in: &queue)) }
      let (first, second) = (queue.next(), queue.next())
      XCTAssertTrue(first?.job === jobs[0])
      XCTAssertTrue(second?.job === jobs[1])
      XCTAssertNil(queue.next())
      XCTAssertEqual(queue.waitingCount, 2)
      if let jobs = second?.hostJobs { queue.finished(in: jobs) }
      XCTAssertTrue(queue.next()?.job === jobs[2])
      XCTAssertNil(queue.next())
      jobs.forEach { $0.stop() }
    }

    func testHostsTakeTurnsUnderTheLimitInAll() throws {
      var queue = CurlQueue(ConnectionLimits(perHost: 10, total: 1), multiplexedLimit: 64)
      var jobs: [CurlJob] = []
      for host in ["a", "a", "a", "b", "c"] { jobs.append(try job(host, in: &queue)) }
      var hosts: [String] = []
      while let (_, jobs) = queue.next() {
        hosts.append(jobs.key.host)
        queue.finished(in: jobs)
      }
      XCTAssertEqual(hosts, ["a", "b", "c", "a", "a"])
      jobs.forEach { $0.stop() }
    }

    func testJobsThatLandedWhileTheyWaitedAreSkipped() throws {
      var queue = CurlQueue(ConnectionLimits(perHost: 1), multiplexedLimit: 64)
      let (first, second) = (try job("a", in: &queue), try job("a", in: &queue))
      first.cancel()
      XCTAssertTrue(first.isOver)
      XCTAssertTrue(queue.next()?.job === second)
      let third = try job("a", in: &queue)
      third.cancel()
      queue.compact { $0.isOver }
      XCTAssertEqual(queue.waitingCount, 0)
      second.stop()
    }

    func testAnActiveJobIsLeftToTheLoop() throws {
      var queue = CurlQueue(ConnectionLimits(), multiplexedLimit: 64)
      let job = try job("a", in: &queue)
      XCTAssertNotNil(queue.next())
      job.cancel()
      XCTAssertFalse(job.isOver)
      job.stop()
      XCTAssertTrue(job.isOver)
    }

    // MARK: Codes and heads

    func testCodesAndTheirCircumstancesHaveReasons() {
      typealias Seen = CurlErrors.Circumstances
      let rows: [(UInt32, Seen, APIError.Reason)] = [
        (6, Seen(), .unknownHost), (7, Seen(), .connectionRefused),
        (7, Seen(systemError: 110), .connectTimeout), (28, Seen(), .connectTimeout),
        (28, Seen(text: "FTP response timeout", wasConnected: true), .idleTimeout),
        (18, Seen(wasConnected: true), .connectionLost),
        (18, Seen(wasConnected: true, hasResponse: true), .truncatedBody),
        (1, Seen(text: "Received HTTP/0.9 when not allowed", wasConnected: true), .malformedResponse),
        (1, Seen(text: "Protocol \"gopher\" not supported"), .unsupportedScheme),
        (56, Seen(connectStatus: 407), .loginDenied), (56, Seen(connectStatus: 502), .proxyFailed),
        (97, Seen(text: "No authentication method was acceptable."), .loginDenied),
        (97, Seen(), .proxyFailed), (56, Seen(connectStatus: 302, isProxied: true), .proxyFailed),
        (
          56, Seen(text: "CONNECT response too large", connectStatus: 200, isProxied: true), .proxyFailed
        ),
        (56, Seen(connectStatus: 200, isProxied: true, isTLS: true), .connectionLost),
        (56, Seen(wasConnected: true, isProxied: true), .connectionLost),
        (35, Seen(text: "tlsv1 alert protocol version", isTLS: true), .tlsVersionTooOld),
        (35, Seen(text: "wrong version number", isTLS: true), .tlsHandshakeFailed),
        (35, Seen(text: "error:0200008A:rsa routines::invalid padding", isTLS: true), .certificateUntrusted),
        (
          35, Seen(text: "error:02000077:rsa routines::wrong signature length", isTLS: true),
          .certificateUntrusted
        ),
        (
          35, Seen(text: "error:068000A8:asn1 encoding routines::wrong tag", isTLS: true), .tlsHandshakeFailed
        ),
        (56, Seen(text: "wrong version number", wasConnected: true, isTLS: true), .connectionLost),
        (55, Seen(text: "unsupported protocol", wasConnected: true, isTLS: true), .connectionLost),
        (43, Seen(), .transportFailed), (43, Seen(wasConnected: true), .malformedResponse),
        (56, Seen(text: "alert certificate required", isTLS: true), .clientCertificateRequired),
        (60, Seen(verifyResult: 10), .certificateExpired),
        (56, Seen(text: "alert unknown ca", hasCertificate: true, isTLS: true), .clientCertificateRefused),
        (
          56, Seen(text: "alert certificate expired", hasCertificate: true, isTLS: true),
          .clientCertificateExpired
        ),
        (60, Seen(text: "SSL certificate verification failed", verifyResult: 1), .clientCertificateExpired),
        (60, Seen(verifyResult: 19), .certificateUntrusted),
        // As libcurl 7.88 and 8.21 word it.
        (56, Seen(text: "Illegal or missing hexadecimal sequence in chunked-encoding"), .malformedResponse),
        (56, Seen(text: "chunk hex-length char not a hex digit: 0x7a"), .malformedResponse),
        (61, Seen(text: "Unsolicited Transfer-Encoding (gzip) found"), .malformedResponse),
        (61, Seen(text: "Unrecognized content encoding type"), .undecodableContent),
        (43, Seen(text: "unable to set private key file: 'key' type PEM"), .clientIdentityUnreadable),
        (43, Seen(), .transportFailed),
        (60, Seen(verifyResult: 20), .certificateUntrusted),
        (60, Seen(verifyResult: 26), .certificateUnsuitable),
        (60, Seen(verifyResult: 79), .certificateUnsuitable),
        (60, Seen(verifyResult: 66), .certificateTooWeak), (60, Seen(verifyResult: 68), .certificateTooWeak),
        (58, Seen(), .clientIdentityUnreadable), (77, Seen(), .trustStoreUnreadable),
        (65, Seen(), .unreadableBody), (4242, Seen(), .transportFailed),
      ]
      for (code, seen, reason) in rows {
        let error = CurlErrors.error(CURLcode(rawValue: code), seen)
        XCTAssertEqual(error.reason, reason, "\(code) \(seen)")
        XCTAssertTrue(error.detail.contains("(curl \(code))"))
      }
    }

    func testAHeadIsReadLineByLine() {
      let head = Array(
        "HTTP/1.1 200 OK\r\nA: b\r\nEmpty:\r\nnot a field\r\nC:  d e \t\r\n folded\r\nA: second\r\n\r\n".utf8)
      let headers = CurlHead.headers(head)
      XCTAssertEqual(headers.values("a"), ["b", "second"])
      XCTAssertEqual(headers["Empty"], "")
      XCTAssertEqual(headers["C"], "d e folded")
      XCTAssertEqual(headers.count, 4)
      XCTAssertEqual(CurlHead.headers([]).count, 0)
    }

    func testStatusLinesAndLengthsAreReadStrictly() {
      func status(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { CurlHead.statusLine($0)?.status }
      }
      func length(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes {
          CurlHead.value(of: "content-length:", in: $0).flatMap(CurlHead.number)
        }
      }
      XCTAssertEqual(status("HTTP/1.1 204\r\n"), 204)
      XCTAssertEqual(status("HTTP/2 200 \r\n"), 200)
      XCTAssertNil(status("HTTP/1.1 2x4 No\r\n"))
      XCTAssertNil(status("HTTPS: no"))
      XCTAssertEqual(length("content-LENGTH:  42 \r\n"), 42)
      for value in ["4x", "", "+4", "-4", "4 5", "4, 4", "0x4"] {
        XCTAssertNil(length("Content-Length: \(value)\r\n"), value)
      }
      XCTAssertNil(length("Content-Length: 99999999999999999999\r\n"))
      XCTAssertNil(length("Content-Lengthy: 4\r\n"))
    }

    func testAnAddressToConnectToIsReadInEveryForm() throws {
      let url: HTTPURL = "https://good.test/"
      XCTAssertEqual(try CurlConnectTo.text("127.0.0.1", url), "::127.0.0.1:443")
      XCTAssertEqual(try CurlConnectTo.text("127.0.0.1:8443", url), "::127.0.0.1:8443")
      XCTAssertEqual(try CurlConnectTo.text("::1", url), "::[::1]:443")
      XCTAssertEqual(try CurlConnectTo.text("[::1]:81", url), "::[::1]:81")
      for bad in ["", ":80", "a:b", "127.0.0.1:99999"] {
        XCTAssertThrowsError(try CurlConnectTo.text(bad, url), bad) { error in
          XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
        }
      }
    }

    // MARK: Codings

    private static let plain = "flight and landing, flight and landing, flight and landing"
    private static let coded = [
      "br": "1b390000042672a4cd536f97b7208400e38ea6306d6541ff08110c7bc201",
      "zstd": "28b52ffd203ad50000a0666c6967687420616e64206c616e64696e672c200100de3399",
    ]

    func testBrotliAndZstandardAreReadWholeOrNotAtAll() throws {
      for (name, hex) in Self.coded {
        let bytes = try XCTUnwrap(Hex.decode(hex))
        let text = try CurlDecoding.decode(bytes, name, maximumBytes: 100)
        XCTAssertEqual(String(decoding: text, as: UTF8.self), Self.plain, name)
        assert(.truncatedBody, name, Array(bytes.dropLast(4)))
        assert(.undecodableContent, name, [0xFF] + bytes.dropFirst())
        assert(.responseTooLarge, name, bytes, maximumBytes: 10)
      }
      let frames = try XCTUnwrap(Hex.decode(Self.coded["zstd", default: ""]))
      XCTAssertEqual(try CurlDecoding.decode(frames + frames, "zstd", maximumBytes: 200).count, 116)
      assert(.undecodableContent, "br", try XCTUnwrap(Hex.decode(Self.coded["br", default: ""])) + [1, 2])
      assert(.undecodableContent, "snappy", [1, 2, 3])
    }

    func testSeveralCodingsAreUndoneInTurn() throws {
      let inner = try XCTUnwrap(Hex.decode(Self.coded["br", default: ""]))
      let outer = TransportConformanceTests.gzip(inner)
      let text = try CurlDecoding.decode(outer, "identity, br, gzip", maximumBytes: 100)
      XCTAssertEqual(String(decoding: text, as: UTF8.self), Self.plain)
    }

    private func assert(
      _ reason: APIError.Reason, _ name: String, _ bytes: [UInt8], maximumBytes: Int = 1000,
      line: UInt = #line
    ) {
      XCTAssertThrowsError(
        try CurlDecoding.decode(bytes, name, maximumBytes: maximumBytes), name, line: line
      ) { error in
        XCTAssertEqual((error as? APIError)?.reason, reason, name, line: line)
      }
    }
  }
#endif
