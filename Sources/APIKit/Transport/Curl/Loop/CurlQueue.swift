#if os(Linux)
  /// The waiting jobs, host by host.
  ///
  /// libcurl becomes slower with every handle it holds (it scans them by host), so it gets no more than a
  /// host's limit. The others wait here: in order within a host, and one of each host after the other. Used on the
  /// loop's thread only; does not call libcurl.
  struct CurlQueue {
    /// The jobs of one host.
    final class HostJobs {
      let key: ConnectionKey
      let limit: Int
      /// The address of its key as libcurl reads it; made for the first request.
      var connectTo: CurlConnectTo?
      fileprivate(set) var inFlight = 0
      /// From `head` on those that wait; nil before it.
      fileprivate var waiting: [CurlJob?] = []
      fileprivate var head = 0
      fileprivate var isReady = false

      init(_ key: ConnectionKey, limit: Int) {
        self.key = key
        self.limit = limit
      }

      var waitingCount: Int { waiting.count - head }

      fileprivate var waitingJobs: [CurlJob] { waiting[head...].compactMap { $0 } }

      fileprivate func removeFirst() -> CurlJob? {
        guard head < waiting.count else { return nil }
        // Not kept here: a job holds the bodies of its request and response.
        let job = waiting[head].take()
        head += 1
        // The array becomes shorter at a constant cost per job.
        if head == waiting.count {
          waiting.removeAll(keepingCapacity: head <= 1024)
          head = 0
        } else if head > 1024, head * 2 > waiting.count {
          waiting.removeFirst(head)
          head = 0
        }
        return job
      }
    }

    /// Requests with equal keys may share a connection.
    struct ConnectionKey: Hashable {
      var host: String
      var port: Int?
      var scheme: String
      var connectTo: String?
    }

    private let limits: ConnectionLimits
    private let multiplexedLimit: Int
    private var jobsByHost: [ConnectionKey: HostJobs] = [:]
    private var latest: HostJobs?
    /// The hosts with a waiting job and a free place, the next one first.
    private var ready: [HostJobs] = []
    private(set) var inFlight = 0

    /// Makes an empty queue.
    ///
    /// - Parameter multiplexedLimit: How many requests to one `https` host are given to libcurl when
    ///   connections may carry several, whatever the limit of connections.
    init(_ limits: ConnectionLimits, multiplexedLimit: Int) {
      self.limits = limits
      self.multiplexedLimit = multiplexedLimit
    }

    /// Puts a job at the end of those of its host.
    mutating func append(_ job: CurlJob) {
      let hostJobs = hostJobs(for: job)
      hostJobs.waiting.append(job)
      makeReady(hostJobs)
      if hostJobs.inFlight + hostJobs.waitingCount > hostJobs.limit
        || limits.total.map({ inFlight >= $0 }) ?? false
      {
        job.exchange.onSlot?(true)
        job.exchange.phaseObserver?.reached(.queued, microsecondsAgo: 0)
      }
    }

    /// The next job that may start, with those of its host; counts it as in flight.
    mutating func next() -> (job: CurlJob, hostJobs: HostJobs)? {
      while let hostJobs = ready.first, limits.total.map({ inFlight < $0 }) ?? true {
        ready.removeFirst()
        hostJobs.isReady = false
        while let job = hostJobs.removeFirst() {
          guard job.activate() else { continue }
          hostJobs.inFlight += 1
          inFlight += 1
          makeReady(hostJobs)
          return (job, hostJobs)
        }
        discardIfIdle(hostJobs)
      }
      return nil
    }

    /// Frees the place of a job that has ended.
    mutating func finished(in hostJobs: HostJobs) {
      hostJobs.inFlight -= 1
      inFlight -= 1
      makeReady(hostJobs)
      discardIfIdle(hostJobs)
    }

    /// Removes the jobs that have ended while they waited; called after cancellations.
    mutating func compact(_ hasLanded: (CurlJob) -> Bool) {
      for hostJobs in jobsByHost.values where hostJobs.waitingCount > 0 {
        hostJobs.waiting = hostJobs.waitingJobs.filter { !hasLanded($0) }
        hostJobs.head = 0
      }
    }

    /// Every waiting job; the queue is empty afterwards.
    mutating func removeAll() -> [CurlJob] {
      let jobs = jobsByHost.values.flatMap(\.waitingJobs)
      jobsByHost = [:]
      ready = []
      latest = nil
      return jobs
    }

    /// Calls `body` with each waiting job.
    func forEachWaiting(_ body: (CurlJob) -> Void) {
      for hostJobs in jobsByHost.values {
        for case let job? in hostJobs.waiting[hostJobs.head...] { body(job) }
      }
    }

    var waitingCount: Int { jobsByHost.values.reduce(0) { $0 + $1.waitingCount } }

    private mutating func makeReady(_ hostJobs: HostJobs) {
      guard !hostJobs.isReady, hostJobs.waitingCount > 0, hostJobs.inFlight < hostJobs.limit else { return }
      hostJobs.isReady = true
      ready.append(hostJobs)
    }

    private mutating func hostJobs(for job: CurlJob) -> HostJobs {
      let url = job.exchange.request.url
      let connectTo = job.exchange.request.options.connectTo
      if let latest, latest.key.host == url.host, latest.key.port == url.port,
        latest.key.scheme == url.scheme, latest.key.connectTo == connectTo
      {
        return latest
      }
      let key = ConnectionKey(host: url.host, port: url.port, scheme: url.scheme, connectTo: connectTo)
      if let hostJobs = jobsByHost[key] {
        latest = hostJobs
        return hostJobs
      }
      let limit = url.scheme == "https" ? max(limits.perHost, multiplexedLimit) : limits.perHost
      let hostJobs = HostJobs(key, limit: limit)
      jobsByHost[key] = hostJobs
      latest = hostJobs
      return hostJobs
    }

    /// Without this a process with many hosts would keep an object for each.
    private mutating func discardIfIdle(_ hostJobs: HostJobs) {
      guard jobsByHost.count > 64, hostJobs.inFlight == 0, hostJobs.waitingCount == 0 else { return }
      jobsByHost[hostJobs.key] = nil
      if latest === hostJobs { latest = nil }
    }
  }
#endif
