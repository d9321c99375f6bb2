#if os(Linux)
  /// The waiting jobs, in one lane for each host.
  ///
  /// libcurl becomes slower with every handle it holds (it scans them by host), so it gets no more than a
  /// lane's limit. The others wait here: in order within a host, and in turn between hosts. Used on the
  /// loop's thread only; does not call libcurl.
  struct CurlQueue {
    /// The jobs of one host.
    final class Lane {
      let key: ConnectionKey
      let limit: Int
      /// The address of its key as libcurl reads it; made for the first request.
      var connectTo: CurlConnectTo?
      fileprivate(set) var inFlight = 0
      /// From `head` on those that wait; nil before it.
      fileprivate var waiting: [CurlJob?] = []
      fileprivate var head = 0
      fileprivate var isInTurn = false

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
    private var lanes: [ConnectionKey: Lane] = [:]
    private var latest: Lane?
    /// Lanes with a waiting job and a free place, in the order of their turns.
    private var turn: [Lane] = []
    private(set) var inFlight = 0

    /// Makes an empty queue.
    ///
    /// - Parameter multiplexedLimit: How many requests to one `https` host are given to libcurl when
    ///   connections may carry several, whatever the limit of connections.
    init(_ limits: ConnectionLimits, multiplexedLimit: Int) {
      self.limits = limits
      self.multiplexedLimit = multiplexedLimit
    }

    /// Puts a job at the end of its lane.
    mutating func append(_ job: CurlJob) {
      let lane = lane(for: job)
      lane.waiting.append(job)
      enterTurn(lane)
      if lane.inFlight + lane.waitingCount > lane.limit || limits.total.map({ inFlight >= $0 }) ?? false {
        job.exchange.onSlot?(true)
      }
    }

    /// The next job that may start, with its lane; counts it as in flight.
    mutating func next() -> (job: CurlJob, lane: Lane)? {
      while let lane = turn.first, limits.total.map({ inFlight < $0 }) ?? true {
        turn.removeFirst()
        lane.isInTurn = false
        while let job = lane.removeFirst() {
          guard job.activate() else { continue }
          lane.inFlight += 1
          inFlight += 1
          enterTurn(lane)
          return (job, lane)
        }
        discardIfIdle(lane)
      }
      return nil
    }

    /// Frees the place of a job that has ended.
    mutating func finished(in lane: Lane) {
      lane.inFlight -= 1
      inFlight -= 1
      enterTurn(lane)
      discardIfIdle(lane)
    }

    /// Removes the jobs that have ended while they waited; called after cancellations.
    mutating func compact(_ hasLanded: (CurlJob) -> Bool) {
      for lane in lanes.values where lane.waitingCount > 0 {
        lane.waiting = lane.waitingJobs.filter { !hasLanded($0) }
        lane.head = 0
      }
    }

    /// Every waiting job; the queue is empty afterwards.
    mutating func removeAll() -> [CurlJob] {
      let jobs = lanes.values.flatMap(\.waitingJobs)
      lanes = [:]
      turn = []
      latest = nil
      return jobs
    }

    /// Calls `body` with each waiting job.
    func forEachWaiting(_ body: (CurlJob) -> Void) {
      for lane in lanes.values {
        for case let job? in lane.waiting[lane.head...] { body(job) }
      }
    }

    var waitingCount: Int { lanes.values.reduce(0) { $0 + $1.waitingCount } }

    private mutating func enterTurn(_ lane: Lane) {
      guard !lane.isInTurn, lane.waitingCount > 0, lane.inFlight < lane.limit else { return }
      lane.isInTurn = true
      turn.append(lane)
    }

    private mutating func lane(for job: CurlJob) -> Lane {
      let url = job.exchange.request.url
      let connectTo = job.exchange.request.options.connectTo
      if let latest, latest.key.host == url.host, latest.key.port == url.port,
        latest.key.scheme == url.scheme, latest.key.connectTo == connectTo
      {
        return latest
      }
      let key = ConnectionKey(host: url.host, port: url.port, scheme: url.scheme, connectTo: connectTo)
      if let lane = lanes[key] {
        latest = lane
        return lane
      }
      let limit = url.scheme == "https" ? max(limits.perHost, multiplexedLimit) : limits.perHost
      let lane = Lane(key, limit: limit)
      lanes[key] = lane
      latest = lane
      return lane
    }

    /// Without this a process with many hosts would keep a lane for each.
    private mutating func discardIfIdle(_ lane: Lane) {
      guard lanes.count > 64, lane.inFlight == 0, lane.waitingCount == 0 else { return }
      lanes[lane.key] = nil
      if latest === lane { latest = nil }
    }
  }
#endif
