import APIKit

// Apple platforms only: type-checked by Scripts/apple, never run here. What is decided is in BackgroundTasks, BackgroundSetting
// and BackgroundFaults, what is kept in BackgroundOutcomes; they are tested.
#if !canImport(FoundationNetworking)
  import Foundation

  /// A background session of the system: tasks of files, which continue while the process is suspended or gone.
  ///
  /// The system follows redirects by itself there, keeps its own time limits, and gives a response only when it is complete.
  /// What has ended before anybody asked is kept in a folder until its transfer asks.
  final class BackgroundSession: NSObject, TransferCarrier {
    private struct Waiter {
      let carried: CarriedExchange
      let completion: HTTPTransport.Completion
    }

    /// A challenge that was not answered yet.
    private struct Challenge {
      let system: URLAuthenticationChallenge
      let task: Int
      let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    }

    private struct SessionState {
      var tasks = BackgroundTasks()
      var waiters: [String: Waiter] = [:]
      var running: [Int: URLSessionTask] = [:]
      var outcomes: [Int: BackgroundOutcome] = [:]
      var challenges: [Int: Challenge] = [:]
      var lastChallenge = 0
      /// Why challenges of tasks were refused, which the system then tells as cancelled.
      var refusals: [Int: APIError] = [:]
      var handler: (@MainActor () -> Void)?
      var isOpen = false
    }

    let options: BackgroundSessionOptions
    let fault: APIError?
    private let identifier: String
    private let outcomes: BackgroundOutcomes
    private let challenges = CarriedChallenges()
    private let queue = OperationQueue()
    private let state = Mutex(SessionState())
    /// Set once, before the session can call; the delegate is needed to make it.
    private let session = Mutex<URLSession?>(nil)

    private static let sessions = Mutex<[String: BackgroundSession]>([:])

    /// The session of an identifier: there may be one in a process.
    ///
    /// - Parameter folder: That of the queue.
    static func shared(
      _ identifier: String, folder: String, sealedBy seal: QueueSeal, _ options: BackgroundSessionOptions
    ) -> BackgroundSession {
      let session = sessions.withLock { sessions in
        if let session = sessions[identifier] { return session }
        let session = BackgroundSession(identifier, folder, seal, options)
        sessions[identifier] = session
        return session
      }
      if session.options != options {
        DeveloperNotice.give(
          "the background session \(identifier) was made before, with other options: its first ones are in force"
        )
      }
      return session
    }

    private init(
      _ identifier: String, _ folder: String, _ seal: QueueSeal, _ options: BackgroundSessionOptions
    ) {
      (self.identifier, self.options) = (identifier, options)
      // Application and extension may share the folder, and each has a session of its own.
      let own = Crypto.digest(of: [identifier]).prefix(16)
      outcomes = BackgroundOutcomes(folder: "\(folder)/session/\(own)", seal: seal)
      fault = options.fault(inExtension: Bundle.isOfExtension)
      queue.name = "APIKit.BackgroundSession"
      queue.maxConcurrentOperationCount = 1
    }

    // MARK: The queue's side

    func open() {
      let isFirst = state.withLock { state in
        defer { state.isOpen = true }
        return !state.isOpen
      }
      guard isFirst, fault == nil else { return }
      queue.addOperation { self.begin() }
    }

    func keepOnly(_ keys: Set<String>) {
      act { $0.tasks.keep(only: keys) }
      // Where files come as well, so that none is taken for left over that has just come.
      queue.addOperation {
        if let keys = self.state.withLock({ $0.tasks.keptKeys }) { self.outcomes.sweep(keeping: keys) }
      }
    }

    func forget(_ key: String) { act { $0.tasks.forgot(key) } }
    func settled(underWay count: Int) { act { $0.tasks.settled(underWay: count) } }

    @MainActor func take(handler: @escaping @MainActor () -> Void) {
      act { state in
        let before = state.handler
        state.handler = {
          before?()
          handler()
        }
        return state.tasks.tookHandler()
      }
    }

    func start(_ carried: CarriedExchange, completion: @escaping HTTPTransport.Completion) {
      let isTaken = state.withLock { state in
        guard !state.tasks.isAwaited(carried.name) else { return true }
        state.waiters[carried.name] = Waiter(carried: carried, completion: completion)
        return false
      }
      guard !isTaken else {
        return completion(
          .failure(APIError(unsupported: "the same request twice at once in a background session")))
      }
      act { $0.tasks.asked(carried.name) }
    }

    func cancel(_ name: String) {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: name) }
      guard let waiter else { return }
      act { $0.tasks.gaveUp(name) }
      waiter.completion(.failure(APIError(.transport, .cancelled)))
    }

    // MARK: The beginning

    /// On the queue: what earlier launches have kept is known before the session can call.
    private func begin() {
      let kept = outcomes.takeUp()
      act { state in
        // The system's numbers are positive.
        let numbered = kept.enumerated().map { (index, one) in (name: one.name, task: -1 - index) }
        for (index, one) in kept.enumerated() { state.outcomes[-1 - index] = one.outcome }
        return state.tasks.tookUp(numbered)
      }
      let made = URLSession(configuration: configuration(), delegate: self, delegateQueue: queue)
      session.withLock { $0 = made }
      made.getAllTasks { [weak self] tasks in
        guard let self else { return }
        act { state in
          for task in tasks { state.running[task.taskIdentifier] = task }
          return state.tasks.listed(
            tasks.map { task in
              BackgroundTasks.SystemTask(
                number: task.taskIdentifier, name: task.taskDescription, isSuspended: task.state == .suspended
              )
            })
        }
      }
    }

    private func configuration() -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      // What cannot be set is the session's fault, and it was not opened.
      if let terms = try? options.transport.systemTerms() { configuration.set(terms) }
      configuration.sessionSendsLaunchEvents = true
      configuration.isDiscretionary = options.isDiscretionary
      if options.limit > .zero { configuration.timeoutIntervalForResource = options.limit.inSeconds }
      configuration.sharedContainerIdentifier = options.sharedContainerIdentifier
      return configuration
    }

    // MARK: Doing what was decided

    /// Tells the machine of an event, and does what it says once the lock is left.
    private func act(_ event: (inout SessionState) -> [BackgroundTasks.Action]) {
      for action in state.withLock({ event(&$0) }) {
        switch action {
        // It may copy a file.
        case .make(let name): queue.addOperation { self.make(name) }
        case .resume(let number): state.withLock { $0.running[number] }?.resume()
        case .give(let name, let number): give(name, number)
        case .cancel(let number): drop(number)
        case .meet(let challenge, let name): meet(challenge, name)
        case .refuse(let challenge):
          state.withLock { $0.challenges.removeValue(forKey: challenge) }?.answer(
            .cancelAuthenticationChallenge, nil)
        case .callHandler:
          let handler = state.withLock { $0.handler.take() }
          if let handler { MainDelivery.main.put { handler() } }
        }
      }
    }

    private func make(_ name: String) {
      // A second task would write, and then remove, the file that the first one sends.
      let waiter = state.withLock { $0.tasks.isToBeMade(name) ? $0.waiters[name] : nil }
      guard let waiter, let session = session.withLock({ $0 }) else { return }
      do throws(APIError) {
        let request = waiter.carried.exchange.request
        let terms = SystemRequestTerms(
          request.options, versions: waiter.carried.configuration.versions)
        let system = try URLSessionTransport.bridge(request, headers: request.headers, terms: terms)
        let task: URLSessionTask
        if let file = try outcomes.file(of: request, named: name) {
          task = session.uploadTask(with: system, fromFile: URL(fileURLWithPath: file))
        } else {
          task = session.downloadTask(with: system)
        }
        task.taskDescription = name
        task.priority = terms.priority
        act { state in
          state.running[task.taskIdentifier] = task
          return state.tasks.made(name, task: task.taskIdentifier)
        }
        task.resume()
      } catch {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: name) }
        act { $0.tasks.gaveUp(name) }
        waiter?.completion(.failure(error.unsent))
      }
    }

    private func give(_ name: String, _ number: Int) {
      let (waiter, outcome) = state.withLock { state in
        state.running[number] = nil
        state.refusals[number] = nil
        return (state.waiters.removeValue(forKey: name), state.outcomes.removeValue(forKey: number))
      }
      outcomes.removeBody(named: name)
      let brought = outcome ?? BackgroundOutcome()
      guard let waiter else { return outcomes.remove(brought) }
      outcomes.forget(brought)
      do throws(APIError) {
        let response = try brought.response(
          for: waiter.carried.exchange.destination,
          maximumDecodedBytes: waiter.carried.configuration.maximumDecodedBytes)
        waiter.completion(.success(response))
      } catch {
        waiter.completion(.failure(error))
      }
    }

    private func drop(_ number: Int) {
      let (task, outcome) = state.withLock { state in
        state.refusals[number] = nil
        return (state.running.removeValue(forKey: number), state.outcomes.removeValue(forKey: number))
      }
      if let task {
        task.cancel()
        outcomes.removeBody(named: task.taskDescription ?? "")
      }
      if let outcome { outcomes.remove(outcome) }
    }

    /// Has the transport's own code decide, in a task of its own, so that the session's queue does not wait.
    private func meet(_ number: Int, _ name: String) {
      let (challenge, waiter) = state.withLock { state in
        (state.challenges.removeValue(forKey: number), state.waiters[name])
      }
      guard let challenge else { return }
      guard let carried = waiter?.carried else {
        return challenge.answer(.cancelAuthenticationChallenge, nil)
      }
      Task.detached {
        do throws(APIError) {
          let (disposition, credential) = try await self.challenges.answer(
            challenge.system, of: carried.exchange, under: carried.configuration)
          challenge.answer(disposition, credential)
        } catch {
          // The task may have ended, and then its entry would never be removed.
          self.state.withLock { if $0.running[challenge.task] != nil { $0.refusals[challenge.task] = error } }
          challenge.answer(.cancelAuthenticationChallenge, nil)
        }
      }
    }

    // MARK: What the system's side tells

    /// A file has come, which is gone when this returns.
    func received(_ task: URLSessionTask, file path: String) {
      guard let head = Self.head(of: task) else { return }
      let outcome = outcomes.keep(fileAt: path, head: head, of: task.taskDescription ?? "")
      state.withLock { $0.outcomes[task.taskIdentifier] = outcome }
    }

    func received(_ task: URLSessionTask, data: Data) {
      let isTooLarge = state.withLock { state in
        let number = task.taskIdentifier
        state.outcomes[number, default: BackgroundOutcome()].bytes += data
        guard let count = state.outcomes[number]?.bytes.count, count > Self.longestResponse else {
          return false
        }
        state.outcomes[number]?.bytes = []
        state.outcomes[number]?.error = APIError(.transport, .responseTooLarge)
        return true
      }
      if isTooLarge { task.cancel() }
    }

    /// Of one to an upload, in bytes; that of an exchange is lower or the same.
    private static let longestResponse = 64 << 20

    func tell(_ task: URLSessionTask, _ progress: TransferProgress) {
      state.withLock { $0.waiters[task.taskDescription ?? ""]?.carried.exchange }?.tell(progress)
    }

    func challenged(
      _ task: URLSessionTask, _ challenge: URLAuthenticationChallenge,
      answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      act { state in
        state.lastChallenge += 1
        state.challenges[state.lastChallenge] = Challenge(
          system: challenge, task: task.taskIdentifier, answer: answer)
        return state.tasks.challenged(
          task.taskDescription, task: task.taskIdentifier, challenge: state.lastChallenge)
      }
    }

    func completed(_ task: URLSessionTask, _ error: (any Error)?) {
      let (number, name) = (task.taskIdentifier, task.taskDescription)
      var outcome = state.withLock { $0.outcomes[number] } ?? BackgroundOutcome()
      if let error {
        outcomes.remove(outcome)
        outcome.file = nil
        outcome.error = outcome.error ?? self.error(error, of: task)
      } else if outcome.error == nil, outcome.file == nil {
        outcome.head = Self.head(of: task)
        // Before this returns: the next launch finds it, should this one end before the transfer has asked.
        outcomes.keep(&outcome, of: name ?? "")
      }
      act { state in
        state.outcomes[number] = outcome
        return state.tasks.ended(name, task: number)
      }
    }

    func gaveAllEvents() { act { $0.tasks.eventsEnded() } }

    private func error(_ error: any Error, of task: URLSessionTask) -> APIError {
      if let refusal = state.withLock({ $0.refusals.removeValue(forKey: task.taskIdentifier) }) {
        return refusal
      }
      let system = error as NSError
      let reason = (system.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? NSNumber)?.intValue
      if system.domain == NSURLErrorDomain, let fault = BackgroundFaults.error(system.code, because: reason) {
        return fault
      }
      let url = task.currentRequest?.url.flatMap { try? HTTPURL($0.absoluteString) }
      if let url, let fault = challenges.failure(for: error, of: url) { return fault }
      return APIError(
        .transport, URLSessionTransport.reason(of: error), URLSessionTransport.detail(of: error) ?? "",
        underlying: error)
    }

    private static func head(of task: URLSessionTask) -> HTTPResponse? {
      guard let system = task.response as? HTTPURLResponse else { return nil }
      return HTTPResponse(
        status: system.statusCode, headers: URLSessionTransport.headers(of: system),
        url: task.currentRequest?.url.flatMap { try? HTTPURL($0.absoluteString) })
    }
  }
#endif
