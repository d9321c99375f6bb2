#if os(Linux)
  import CAPIKit

  /// libcurl's counts when a request was about to be sent.
  ///
  /// libcurl may send several requests for one transfer (a login's challenge, a connection that ended before a
  /// response) and adds up their times and bytes: what a request took is the difference.
  struct CurlCounterBaseline {
    var requests = 0
    var connections = 0
    var nameLookup: Int64 = 0
    var connect: Int64 = 0
    var tls: Int64 = 0
    var firstByte: Int64 = 0
    var requestBytes: Int64 = 0
    var headBytesReceived = 0
    /// When a further connection was begun because that of the present request had ended; nil while there is none.
    var reopened: Int64?

    /// The transfer is started anew: libcurl's counts begin at 0. Received bytes are still added up.
    mutating func restart() {
      let (requests, received) = (requests, headBytesReceived)
      self = CurlCounterBaseline()
      (self.requests, headBytesReceived) = (requests, received)
    }
  }

  extension CurlHandle {
    /// A request is about to be sent: measures how long its connection took. The metrics of an earlier request
    /// of the transfer are kept beside it.
    ///
    /// Times count from the moment the transport accepted the exchange.
    func measureRequest(to address: UnsafePointer<CChar>?, _ port: Int32, localPort: Int32) {
      let posted = transfer.job?.posted ?? transfer.started
      var metrics = TransportMetrics()
      let connections = long(CURLINFO_NUM_CONNECTS)
      metrics.isReused = connections == transfer.baseline.connections
      let phases = metrics.isReused ? Phases() : takePhases()
      if transfer.baseline.requests == 0 {
        metrics.queued = transfer.started - posted
      } else {
        // A new connection is used as soon as it is there, so it was begun this long ago.
        metrics.queued = CurlClock.now() - phases.longest - posted
        keepEarlier(in: &metrics)
      }
      transfer.baseline.requests += 1
      transfer.baseline.connections = connections
      metrics.set(phases)
      // Later than the handshake, or a request that then breaks looks like one that broke in it. The loop's time is that
      // of the beginning of its turn.
      metrics.requestSent = max(metrics.tls + 1, loop.now - posted)
      metrics.remoteAddress = address.map { String(cString: $0) }
      metrics.remotePort = Int(port)
      metrics.localPort = Int(localPort)
      metrics.proxy = proxy?.description
      transfer.metrics = metrics
    }

    /// Keeps what was measured of the present request, which ends where the next one begins, in that of the next one.
    private func keepEarlier(in metrics: inout TransportMetrics) {
      metrics.earlier = transfer.metrics.earlier
      var last = self.metrics(until: metrics.queued)
      last.earlier = []
      metrics.earlier.append(last)
      transfer.baseline.firstByte = size(CURLINFO_STARTTRANSFER_TIME_T)
      transfer.baseline.requestBytes = Int64(long(CURLINFO_REQUEST_SIZE))
      transfer.baseline.headBytesReceived = transfer.headBytes
      transfer.baseline.reopened = nil
    }

    /// The metrics of the attempt as it ends.
    func metrics(hasFailed: Bool = false) -> TransportMetrics {
      let posted = transfer.job?.posted ?? transfer.started
      if transfer.baseline.requests == 0 {
        // It ended on the way to a connection.
        transfer.metrics.queued = transfer.started - posted
        transfer.metrics.set(takePhases())
        transfer.metrics.proxy = proxy?.description
      } else if let reopened = transfer.baseline.reopened {
        // It ended on the way to a further connection: the time is not that of the request that was lost before.
        var metrics = TransportMetrics()
        metrics.queued = reopened - posted
        keepEarlier(in: &metrics)
        metrics.set(takePhases())
        metrics.proxy = proxy?.description
        transfer.metrics = metrics
      }
      // When the loop ends a transfer, libcurl's own time is that of its last action.
      let end = transfer.started - posted + size(CURLINFO_TOTAL_TIME_T)
      var metrics = metrics(until: hasFailed ? max(end, loop.now - posted) : end)
      metrics.resends = transfer.machine.resends
      if hasFailed, transfer.isHTTP, transfer.isHeadDone, transfer.status > 0 {
        metrics.brokenStatus = transfer.status
      }
      return metrics
    }

    /// The metrics of the present request, which ends at this time.
    private func metrics(until end: Int64) -> TransportMetrics {
      var metrics = transfer.metrics
      let firstByte = size(CURLINFO_STARTTRANSFER_TIME_T) - transfer.baseline.firstByte
      metrics.requestSent = max(metrics.tls, metrics.requestSent)
      metrics.firstByte = max(metrics.requestSent, firstByte > 0 ? metrics.queued + firstByte : 0)
      metrics.total = max(metrics.firstByte, end)
      metrics.bytesSent = size(CURLINFO_SIZE_UPLOAD_T)
      metrics.bytesReceived = size(CURLINFO_SIZE_DOWNLOAD_T)
      if transfer.isHTTP {
        let sent = Int64(long(CURLINFO_REQUEST_SIZE)) - transfer.baseline.requestBytes
        metrics.headBytesSent = max(0, countsBody ? sent - metrics.bytesSent : sent)
      }
      metrics.headBytesReceived = Int64(transfer.headBytes - transfer.baseline.headBytesReceived)
      metrics.version = transfer.status > 0 || !transfer.isHTTP ? transfer.version : nil
      return metrics
    }

    /// Whether the size of the request, as libcurl has it, covers the body: before 8.7 one that is sent along with the
    /// head (less than 64 KiB), since then any.
    private var countsBody: Bool {
      if Self.countsAnyBody { return true }
      guard applied.body == .fields, case .bytes(let bytes)? = transfer.job?.exchange.request.body else {
        return false
      }
      return bytes.count < 64 << 10
    }

    /// Asked once: libcurl writes the versions of all its libraries each time.
    private static let countsAnyBody = capikit_curl_version() >= 0x080700

    /// How long the ways to a connection took, each from the beginning.
    struct Phases {
      var nameLookup: Int64 = 0
      var connect: Int64 = 0
      var tls: Int64 = 0
      var longest: Int64 { max(nameLookup, connect, tls) }
    }

    /// The phases of the present request; the baseline moves on by them.
    private func takePhases() -> Phases {
      let before = transfer.baseline
      transfer.baseline.nameLookup = size(CURLINFO_NAMELOOKUP_TIME_T)
      transfer.baseline.connect = size(CURLINFO_CONNECT_TIME_T)
      transfer.baseline.tls = size(CURLINFO_APPCONNECT_TIME_T)
      return Phases(
        nameLookup: transfer.baseline.nameLookup - before.nameLookup,
        connect: transfer.baseline.connect - before.connect, tls: transfer.baseline.tls - before.tls)
    }
  }

  extension TransportMetrics {
    /// Those of a request that only waited in the queue.
    init(waited time: Int64) {
      self.init()
      (queued, nameLookup, connect, tls) = (time, time, time, time)
      (requestSent, firstByte, total) = (time, time, time)
    }

    /// Sets the times of the phases, which follow one another.
    fileprivate mutating func set(_ phases: CurlHandle.Phases) {
      nameLookup = queued + phases.nameLookup
      connect = max(nameLookup, queued + phases.connect)
      tls = max(connect, queued + phases.tls)
    }
  }
#endif
