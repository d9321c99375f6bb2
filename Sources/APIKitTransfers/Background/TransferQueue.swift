import APIKit
import Foundation

/// Runs downloads and uploads that outlive the process: they are kept on disk, and continue after a crash or a relaunch, in
/// any process that runs the queue.
///
/// ```swift
/// let transfers = TransferQueue()
/// transfers.register(BrochureManager.self) { BrochureManager() }
/// transfers.start()
/// try await transfers.enqueue(BrochureManager(), ["id": 7], to: .file(path))
/// ```
/// On Apple systems a background session of the system sends the requests, also while the process is suspended; pass the
/// completion handler of `handleEventsForBackgroundURLSession` to ``handleEvents(completion:)``. In an extension, and on
/// Linux, any process that runs the queue sends them. A transfer happens at least once, and may happen twice: a process may
/// end between the last byte and the commit. Isolated to the main actor; it does not wait for the disk there. Keep it as long
/// as the application runs.
@MainActor public final class TransferQueue {
  /// The configuration.
  public let configuration: TransferQueueConfiguration
  /// Receives progress and end of all transfers in this process. Weak.
  public weak var delegate: (any TransferQueueDelegate)?

  /// What a registered type can do.
  struct Work {
    /// Carries out a transfer with a manager of its own.
    var carryOut:
      @MainActor (
        KeptTransfer, HTTPBody, TransferTerms, @escaping @MainActor (TransferProgress) -> Void
      ) async -> Result<TransferEnd, APIError>
    /// Whose a transfer is that is made now.
    var signIn: SignInRule
  }

  /// Called with the paths of copies of damaged databases; see ``Outbox/onDamage``. None by default.
  public var onDamage: (@MainActor ([String]) -> Void)?

  let runner: QueueRunner
  let time: any TimeSource
  var registry: QueueRegistry<Work>
  /// How far the transfers under way in this process are.
  var live: [Int64: TransferProgress] = [:]
  /// What carries requests while the process is suspended, where the system has such a thing.
  let carrier: (any TransferCarrier)?

  /// Makes a queue. Nothing is read or transferred before ``start()``.
  ///
  /// - Parameter configuration: The folder, limits and settings.
  public convenience init(_ configuration: TransferQueueConfiguration = TransferQueueConfiguration()) {
    self.init(configuration, time: SystemTime())
  }

  init(
    _ configuration: TransferQueueConfiguration, time: any TimeSource, boot: String = QueueClock.machineBoot,
    carrier: (any TransferCarrier)? = nil
  ) {
    self.configuration = configuration
    self.time = time
    self.carrier = carrier ?? Self.systemCarrier(configuration)
    registry = QueueRegistry(of: configuration.name)
    runner = QueueRunner(configuration, time: time, boot: boot) { Self.discardFiles(of: $0) }
    runner.owner = self
    runner.onRest = { [weak self] in self?.tellCarrier() }
  }

  // MARK: Types and delegates

  /// Makes a type of downloads known, at launch and before its first transfer.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - name: The name under which its transfers are kept; it must be the same in each launch. The default is the type's.
  ///   - make: Makes a manager that runs a transfer. The queue asks it for destinations and renewed parameters,
  ///     and sets no delegate.
  public func register<Manager: DownloadManager>(
    _ type: Manager.Type, as name: String? = nil, make: @escaping @MainActor () -> Manager
  ) {
    let sample = make()
    registry.register(
      type, as: name, of: sample.service,
      Work(
        carryOut: { kept, _, terms, report in
          guard case .download(let target, let sha256) = kept.kind else { return .failure(Self.otherKind) }
          let manager = make()
          let run: DownloadRun
          do throws(APIError) {
            run = try manager.makeRun(kept.parameters, to: target, sha256: sha256, terms)
          } catch {
            return .failure(error)
          }
          let (result, _) = await run.perform { news in
            guard case .progress(let progress) = news else { return }
            MainDelivery.main.put { report(progress) }
          }
          // It is asked for as long as the download lasts.
          return withExtendedLifetime(manager) { result.map { .downloaded($0) } }
        }, signIn: sample.signIn), with: runner)
  }

  /// Makes a type of uploads known, at launch and before its first transfer.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - name: The name under which its transfers are kept; it must be the same in each launch. The default is the type's.
  ///   - make: Makes a manager that runs a transfer. The queue sets no delegate.
  public func register<Manager: UploadManager>(
    _ type: Manager.Type, as name: String? = nil, make: @escaping @MainActor () -> Manager
  ) {
    let sample = make()
    registry.register(
      type, as: name, of: sample.service,
      Work(
        carryOut: { kept, body, terms, report in
          guard kept.count >= 0 else { return .failure(Self.otherKind) }
          do throws(APIError) {
            let (_, work) = try make().makeWork(body, kept.parameters, terms: terms)
            return await work(report).map { .uploaded($0) }
          } catch {
            return .failure(error)
          }
        }, signIn: sample.signIn), with: runner)
  }

  private static let otherKind = APIError(
    .takeoff, .misconfigured, "the transfer is of another kind than the managers registered under its name")

  /// Sends progress and end of the transfers of a manager's type, or of the given name, to its delegate, and at once earlier
  /// results, of earlier launches too. The queue holds the manager weakly; the last one attached counts.
  ///
  /// - Parameters:
  ///   - manager: The manager whose delegate is called.
  ///   - name: Tells several managers of a type apart. Transfers that are enqueued with this object from now on are kept under
  ///     it. The default is the name of the type.
  public func attach<Manager: DownloadManager>(_ manager: Manager, as name: String? = nil) {
    registry.attach(manager, as: name, with: runner) { manager, progress in
      manager.delegate?.manager(manager, didProgress: progress)
    } land: { manager, landing in
      switch landing.file(of: manager) {
      case .success(let file): manager.delegate?.manager(manager, didSucceedWith: file)
      case .failure(let error): manager.delegate?.manager(manager, didFailWith: error)
      }
    }
  }

  /// Sends progress and end of the transfers of a manager's type, or of the given name, to its delegate, and at once earlier
  /// results, of earlier launches too. The queue holds the manager weakly; the last one attached counts.
  ///
  /// - Parameters:
  ///   - manager: The manager whose delegate is called.
  ///   - name: Tells several managers of a type apart. Transfers that are enqueued with this object from now on are kept under
  ///     it. The default is the name of the type.
  public func attach<Manager: UploadManager>(_ manager: Manager, as name: String? = nil) {
    registry.attach(manager, as: name, with: runner) { manager, progress in
      manager.delegate?.manager(manager, didProgress: progress)
    } land: { manager, landing in
      switch landing.result(of: manager, manager.expectation) {
      case .success(let response): manager.delegate?.manager(manager, didSucceedWith: response)
      case .failure(let error): manager.delegate?.manager(manager, didFailWith: error)
      }
    }
  }

  // MARK: Running

  /// Begins to transfer, until ``stop()``. Transfers of a process that has ended are resumed.
  public func start() {
    runner.start()
    lookThroughLandings()
    guard let carrier else { return }
    carrier.open()
    Task {
      guard let rows = try? await queue.rows() else { return }
      carrier.keepOnly(Set(rows.compactMap { Self.content(of: $0)?.key }))
    }
  }

  /// Ends the running transfers after a checkpoint, and returns when they have ended. They continue at the next ``start()``,
  /// in this or another process.
  public func stop() async { await runner.stop() }

  /// Returns when no transfer can continue by itself; parked ones and those that wait for a sign-in stay. Call it
  /// after ``start()``. It waits for the network and for retries, and returns early when its task is cancelled.
  public func finish() async { await runner.restReached() }

  /// Takes the completion handler of the system's launch for the background session. The handler is called once, when every
  /// transfer that has ended is processed and the next ones are handed to the system, and after 25 seconds in any case,
  /// because the system ends an application that takes half a minute. Waiting transfers continue when the application runs
  /// next. Call it after ``start()`` and after the types were registered. Without such a session the handler is called when
  /// the queue has nothing to do for the moment.
  ///
  /// - Parameter completion: What `application(_:handleEventsForBackgroundURLSession:completionHandler:)` was given; called on
  ///   the main actor, once.
  public func handleEvents(completion: @escaping @MainActor () -> Void) {
    let handler = EventHandler(completion)
    Task { [time] in
      try? await time.sleep(for: Self.eventLimit)
      handler.call()
    }
    if let carrier { return carrier.take { handler.call() } }
    Task {
      await finish()
      handler.call()
    }
  }

  /// How long the system's handler waits.
  private static let eventLimit = Duration.seconds(25)

  /// What is called once, by whoever is first.
  @MainActor private final class EventHandler {
    private var handler: (@MainActor () -> Void)?
    init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }
    func call() { handler.take()?() }
  }

  private func tellCarrier() { carrier?.settled(underWay: runner.running.count) }

  /// The system's; nil where it has none, or none is wanted.
  private static func systemCarrier(_ configuration: TransferQueueConfiguration) -> (any TransferCarrier)? {
    #if canImport(FoundationNetworking)
      nil
    #else
      configuration.sessionIdentifier.map { identifier in
        BackgroundSession.shared(
          identifier, folder: configuration.folder, sealedBy: QueueSeal(configuration.storageKey),
          configuration.session)
      }
    #endif
  }
}
