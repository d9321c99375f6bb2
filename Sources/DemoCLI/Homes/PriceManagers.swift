import APIKit
import APIKitSockets

/// `GET prices`, a WebSocket: changes of prices.
final class PriceSocketManager: BaseSocketManager, SocketManager {
  let service: LiveService
  let apiName = "prices"
  let reconnection: ReconnectPolicy
  /// The number of the last change, behind which another connection goes on.
  var lastNumber: Int?

  init(_ service: LiveService, _ reconnection: ReconnectPolicy) {
    self.service = service
    self.reconnection = reconnection
  }

  func prepare(_ reconnection: inout SocketReconnection) {
    if let lastNumber { reconnection.parameters["from"] = .integer(lastNumber) }
  }
}

/// `GET events`, server-sent events: changes of prices. Another connection goes on behind the last one by itself.
final class PriceEventManager: BaseEventStreamManager, EventStreamManager {
  let service: LiveService
  let apiName = "events"
  let reconnection: ReconnectPolicy

  init(_ service: LiveService, _ reconnection: ReconnectPolicy) {
    self.service = service
    self.reconnection = reconnection
  }
}

extension ReconnectPolicy {
  /// For a server nearby that is restarted: soon again, and often.
  static func nearby(attempts: Int) -> Self {
    var policy = ReconnectPolicy(attempts: attempts)
    policy.backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(5))
    return policy
  }
}
