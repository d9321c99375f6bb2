#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// The metrics of the attempt. Times count from the moment the transport accepted the request.
    func metrics() -> TransportMetrics {
      var metrics = TransportMetrics()
      let queued = transfer.started - (transfer.job?.posted ?? transfer.started)
      metrics.queued = queued
      metrics.isReused = long(CURLINFO_NUM_CONNECTS) == 0
      // libcurl's times count from the start of the transfer; on a reused connection these are 0 or the
      // time of that moment.
      metrics.nameLookup = queued + (metrics.isReused ? 0 : size(CURLINFO_NAMELOOKUP_TIME_T))
      metrics.connect = max(
        metrics.nameLookup, queued + (metrics.isReused ? 0 : size(CURLINFO_CONNECT_TIME_T)))
      metrics.tls = max(metrics.connect, queued + (metrics.isReused ? 0 : size(CURLINFO_APPCONNECT_TIME_T)))
      metrics.firstByte = max(metrics.tls, queued + size(CURLINFO_STARTTRANSFER_TIME_T))
      metrics.total = max(metrics.firstByte, queued + size(CURLINFO_TOTAL_TIME_T))
      metrics.bytesSent = size(CURLINFO_SIZE_UPLOAD_T)
      metrics.bytesReceived = size(CURLINFO_SIZE_DOWNLOAD_T)
      metrics.remoteAddress = transfer.remoteAddress
      metrics.remotePort = transfer.remotePort
      metrics.resends = transfer.machine.resends
      metrics.tlsProtocol = transfer.tlsProtocol
      return metrics
    }
  }
#endif
