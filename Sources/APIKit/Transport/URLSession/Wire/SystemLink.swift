// Apple platforms only: type-checked by Scripts/apple, never run here. What is decided, ``NetworkWireTerms`` and
// ``NetworkWireMachine`` decide, which are tested.
#if canImport(Network)
  import Dispatch
  import Foundation
  import Network

  /// A connection of the Network framework.
  ///
  /// `@unchecked Sendable`: what changes belongs to the wire's queue.
  final class SystemLink: NetworkLink, @unchecked Sendable {
    let terms: NetworkWireTerms
    let trust: SystemTrust
    private var connection: NWConnection?
    private var report: (@Sendable (NetworkEvent) -> Void)?

    init(_ terms: NetworkWireTerms, _ trust: SystemTrust) {
      self.terms = terms
      self.trust = trust
    }

    func start(on queue: DispatchQueue, _ report: @escaping @Sendable (NetworkEvent) -> Void) {
      let connection = NWConnection(
        to: Self.endpoint(terms.host, terms.port), using: parameters(on: queue, report))
      (self.connection, self.report) = (connection, report)
      connection.stateUpdateHandler = { [weak self] state in self?.take(state, on: queue) }
      connection.viabilityUpdateHandler = { report(.viable($0)) }
      connection.start(queue: queue)
    }

    static func endpoint(_ host: String, _ port: UInt16) -> NWEndpoint {
      // An address becomes one, and anything else a name.
      .hostPort(host: NWEndpoint.Host(host), port: NWEndpoint.Port(integerLiteral: port))
    }

    private func take(_ state: NWConnection.State, on queue: DispatchQueue) {
      guard let connection, let report else { return }
      switch state {
      case .setup, .preparing: break
      case .waiting(let error): report(.waiting(NetworkFault(error)))
      case .ready:
        // Where a proxy is permitted, nobody wants to know.
        guard terms.proxy == .none else { return report(.ready(usesProxy: false)) }
        // The system prefers a connection without a proxy, and may use one all the same.
        connection.requestEstablishmentReport(queue: queue) {
          report(.ready(usesProxy: $0?.usedProxy ?? false))
        }
      case .failed(let error): report(.failed(NetworkFault(error)))
      case .cancelled: report(.cancelled)
      @unknown default: break
      }
    }

    func receive(atMost count: Int) {
      guard let connection, let report else { return }
      connection.receive(minimumIncompleteLength: 1, maximumLength: count) { data, _, isComplete, error in
        report(.received(data, isComplete: isComplete, error.map(NetworkFault.init)))
      }
    }

    func send(_ data: Data, number: Int) {
      guard let connection, let report else { return }
      connection.send(
        content: data, contentContext: .defaultMessage, isComplete: true,
        completion: .contentProcessed { report(.sent(number: number, $0.map(NetworkFault.init))) })
    }

    func endSending() {
      guard let connection, let report else { return }
      // The last message, without bytes, is a FIN.
      connection.send(
        content: nil, contentContext: .finalMessage, isComplete: true,
        completion: .contentProcessed { error in
          if let error { report(.failed(NetworkFault(error))) }
        })
    }

    func cancel(isForced: Bool) {
      guard let connection else { return }
      (self.connection, report) = (nil, nil)
      connection.stateUpdateHandler = nil
      connection.viabilityUpdateHandler = nil
      if isForced { connection.forceCancel() } else { connection.cancel() }
    }
  }

  extension NetworkFault {
    init(_ error: NWError) {
      switch error {
      case .posix(let code): self = .posix(code.rawValue)
      case .dns(let number): self = .dns(number)
      case .tls(let status): self = .tls(status)
      @unknown default: self = .other("\(error)")
      }
    }
  }
#endif
