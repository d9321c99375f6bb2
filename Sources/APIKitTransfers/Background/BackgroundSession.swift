import APIKit

// Apple platforms only: type-checked by Scripts/apple, never run here. What it decides is in BackgroundTasks, which is tested.
#if !canImport(FoundationNetworking)
  import Foundation
  import Synchronization

  /// A background session of the system: tasks of files, which go on while the process is suspended or gone.
  ///
  /// The system follows redirects by itself there, keeps its own time limits, and gives a response only when it is complete. What
  /// has ended before anybody asked is kept in a folder until its transfer asks.
  final class BackgroundSession: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    /// What a task has brought.
    private struct Outcome {
      var file: String?
      var bytes: [UInt8] = []
      var head: HTTPResponse?
      var error: APIError?
    }

    private struct Waiter {
      let exchange: HTTPExchange
      let completion: HTTPTransport.Completion
    }

    private struct SessionState {
      var tasks = BackgroundTasks()
      var waiters: [String: Waiter] = [:]
      var running: [Int: URLSessionTask] = [:]
      var outcomes: [Int: Outcome] = [:]
      var handler: (@MainActor () -> Void)?
    }

    private let state = Mutex(SessionState())
    private let folder: String
    /// Set once, before the session can call; the delegate is needed to make it.
    private let session = Mutex<URLSession?>(nil)

    private static let sessions = Mutex<[String: BackgroundSession]>([:])

    /// The session of an identifier: there may be one in a process.
    static func shared(_ identifier: String, folder: String) -> BackgroundSession {
      sessions.withLock { sessions in
        if let session = sessions[identifier] { return session }
        let session = BackgroundSession(identifier, folder)
        sessions[identifier] = session
        return session
      }
    }

    private init(_ identifier: String, _ folder: String) {
      self.folder = folder
      super.init()
      try? PrivateFile.makeFolder(folder)
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.sessionSendsLaunchEvents = true
      configuration.isDiscretionary = false
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      let queue = OperationQueue()
      queue.name = "APIKit.BackgroundSession"
      queue.maxConcurrentOperationCount = 1
      let made = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
      session.withLock { $0 = made }
      made.getAllTasks { [weak self] tasks in
        guard let self else { return }
        act { state in
          for task in tasks { state.running[task.taskIdentifier] = task }
          return state.tasks.listed(tasks.map { ($0.taskIdentifier, $0.taskDescription) })
        }
      }
    }

    // MARK: The queue's side

    func transport(for key: String) -> any HTTPTransport { BackgroundTransport(session: self, key: key) }
    func keepOnly(_ keys: Set<String>) { act { $0.tasks.keep(only: keys) } }
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

    fileprivate func start(
      _ exchange: HTTPExchange, name: String, completion: @escaping HTTPTransport.Completion
    ) {
      act { state in
        state.waiters[name] = Waiter(exchange: exchange, completion: completion)
        return state.tasks.asked(name)
      }
    }

    fileprivate func cancel(_ name: String) {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: name) }
      act { $0.tasks.gaveUp(name) }
      waiter?.completion(.failure(APIError(.transport, .cancelled)))
    }

    // MARK: Doing what was decided

    /// Tells the machine of an event, and does what it says once the lock is left.
    private func act(_ event: (inout SessionState) -> [BackgroundTasks.Action]) {
      for action in state.withLock({ event(&$0) }) {
        switch action {
        case .make(let name): make(name)
        case .give(let name, let number): give(name, number)
        case .cancel(let number): drop(number)
        case .callHandler:
          let handler = state.withLock { $0.handler.take() }
          if let handler { MainDelivery.main.put { handler() } }
        }
      }
    }

    private func make(_ name: String) {
      guard let waiter = state.withLock({ $0.waiters[name] }), let session = session.withLock({ $0 }) else {
        return
      }
      do throws(APIError) {
        let request = waiter.exchange.request
        let system = try URLSessionTransport.bridge(request, headers: request.headers)
        let task: URLSessionTask
        if let file = try file(of: request.body, name) {
          task = session.uploadTask(with: system, fromFile: URL(fileURLWithPath: file))
        } else {
          task = session.downloadTask(with: system)
        }
        task.taskDescription = name
        act { state in
          state.running[task.taskIdentifier] = task
          return state.tasks.made(name, task: task.taskIdentifier)
        }
        task.resume()
      } catch {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: name) }
        act { $0.tasks.gaveUp(name) }
        waiter?.completion(.failure(error))
      }
    }

    /// The system sends whole files only; nil for no body.
    private func file(of body: HTTPBody, _ name: String) throws(APIError) -> String? {
      let chunks: FileChunks
      switch body {
      case .empty: return nil
      case .bytes(let bytes) where bytes.isEmpty: return nil
      case .file(let path, offset: 0): return path
      case .bytes(let bytes):
        let copy = place(name, "body")
        do { try PrivateFile.replace(copy, with: Data(bytes)) } catch { throw Self.fault(error) }
        return copy
      case .file(let path, let offset): chunks = try FileChunks(path: path, offset: offset)
      case .stream:
        throw APIError(unsupported: "request bodies from a stream (streamUpload)")
      }
      let copy = place(name, "body")
      do {
        try PrivateFile.replace(copy, with: Data())
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: copy))
        while let chunk = try chunks.next() { try target.write(contentsOf: Data(chunk)) }
        try target.close()
      } catch {
        throw error as? APIError ?? Self.fault(error)
      }
      return copy
    }

    private func give(_ name: String, _ number: Int) {
      let (waiter, outcome) = state.withLock { state in
        state.running[number] = nil
        return (state.waiters.removeValue(forKey: name), state.outcomes.removeValue(forKey: number))
      }
      unlink(place(name, "body"))
      guard let waiter else { return }
      guard let outcome, var response = outcome.head, outcome.error == nil else {
        return waiter.completion(
          .failure(outcome?.error ?? APIError(.transport, .connectionLost, "the system has lost the task")))
      }
      do throws(APIError) {
        response.body = try body(outcome, waiter.exchange.destination)
        waiter.completion(.success(response))
      } catch {
        waiter.completion(.failure(error))
      }
    }

    /// The body as the exchange wants it; a file that is read is removed with its reader.
    private func body(
      _ outcome: Outcome, _ destination: HTTPExchange.Destination
    ) throws(APIError) -> HTTPResponse.Body {
      guard let path = outcome.file else { return .bytes(outcome.bytes) }
      let chunks = try FileChunks(path: path, offset: 0)
      if case .stream = destination {
        return .stream(
          ResponseStream(onAbandon: { unlink(path) }) { () async throws(APIError) in try chunks.next() })
      }
      defer { unlink(path) }
      var bytes: [UInt8] = []
      while let chunk = try chunks.next() {
        bytes += chunk
        guard bytes.count <= destination.memoryLimit else { throw APIError(.transport, .responseTooLarge) }
      }
      return .bytes(bytes)
    }

    private func drop(_ number: Int) {
      let (task, outcome) = state.withLock { state in
        (state.running.removeValue(forKey: number), state.outcomes.removeValue(forKey: number))
      }
      task?.cancel()
      if let file = outcome?.file { unlink(file) }
    }

    /// Where a file of an exchange is.
    private func place(_ name: String, _ ending: String) -> String {
      "\(folder)/\(Crypto.digest(of: [name])).\(ending)"
    }

    private static func fault(_ error: any Error) -> APIError {
      APIError(.transport, .fileFailed, "a file of the background session: \(error)", underlying: error)
    }

    // MARK: The system's side, on the session's queue

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      // The file is gone when this returns.
      let path = place(downloadTask.taskDescription ?? "", "\(downloadTask.taskIdentifier)")
      unlink(path)
      let isMoved = rename(location.path, path) == 0
      if !isMoved {
        // Another volume.
        try? FileManager.default.copyItem(atPath: location.path, toPath: path)
      }
      state.withLock { $0.outcomes[downloadTask.taskIdentifier, default: Outcome()].file = path }
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      tell(
        downloadTask,
        TransferProgress(
          received: totalBytesWritten,
          totalToReceive: totalBytesExpectedToWrite < 0 ? nil : totalBytesExpectedToWrite, delta: bytesWritten
        ))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      tell(
        task, TransferProgress(sent: totalBytesSent, totalToSend: totalBytesExpectedToSend, delta: bytesSent))
    }

    private func tell(_ task: URLSessionTask, _ progress: TransferProgress) {
      state.withLock { $0.waiters[task.taskDescription ?? ""]?.exchange.onProgress }?(progress)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      state.withLock { $0.outcomes[dataTask.taskIdentifier, default: Outcome()].bytes += data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      act { state in
        var outcome = state.outcomes[task.taskIdentifier] ?? Outcome()
        if let error {
          outcome.error = APIError(
            .transport, URLSessionTransport.reason(of: error), URLSessionTransport.detail(of: error) ?? "",
            underlying: error)
        } else if let system = task.response as? HTTPURLResponse {
          outcome.head = HTTPResponse(
            status: system.statusCode, headers: URLSessionTransport.headers(of: system),
            url: task.currentRequest?.url.flatMap { try? HTTPURL($0.absoluteString) })
        }
        state.outcomes[task.taskIdentifier] = outcome
        return state.tasks.ended(task.taskDescription, task: task.taskIdentifier)
      }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      act { $0.tasks.eventsEnded() }
    }
  }

  /// Sends the requests of one transfer by a background session.
  private struct BackgroundTransport: HTTPTransport {
    let session: BackgroundSession
    let key: String

    /// Bodies of files; responses are files of the system, and can be read as streams when they are complete.
    var capabilities: TransportCapabilities {
      [.fileUpload, .fileDownload, .streamDownload, .progress, .http2, .http3, .totalTimeout, .idleTimeout]
    }

    func start(
      _ exchange: HTTPExchange, completion: @escaping Completion
    ) -> any CancellableOperation {
      let name = exchange.request.backgroundName(key: key)
      session.start(exchange, name: name, completion: completion)
      return Operation(session: session, name: name)
    }

    private struct Operation: CancellableOperation {
      let session: BackgroundSession
      let name: String
      func cancel() { session.cancel(name) }
    }
  }
#endif
