// Apple platforms only: type-checked by Scripts/apple, never run here. What a subscription does, ``LandingSubscription`` does,
// which is tested.
#if canImport(Combine)
  public import Combine

  extension BaseAPIManager {
    /// The ends of all loads, as ``landings()`` has them, for Combine.
    ///
    /// ```swift
    /// homes.landingsPublisher.sink { landing in show(landing) }.store(in: &subscriptions)
    /// ```
    /// Each subscription has the landings from its begin on: from `subscribe` on the main thread, and from the main actor's
    /// next turn on another. It receives on the main actor, after the delegate, as many as it demands; of the others the last
    /// 65 wait. It ends when the manager is released, and does not keep it alive.
    public var landingsPublisher: AnyPublisher<Result<APIResponse, APIError>, Never> {
      AnyPublisher(LandingsPublisher(manager: self))
    }
  }

  private struct LandingsPublisher: Publisher {
    typealias Output = Result<APIResponse, APIError>
    typealias Failure = Never

    weak var manager: BaseAPIManager?

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
      let box = SubscriberBox(subscriber)
      let landings = LandingSubscription(
        LandingSubscription.Receiver(
          receive: { box.subscriber.receive($0).max },
          finish: { box.subscriber.receive(completion: .finished) }))
      subscriber.receive(subscription: LandingsSubscription(landings))
      landings.follow(manager)
    }
  }

  /// `@unchecked Sendable`: after its subscription, the subscriber is called on the main actor alone.
  private struct SubscriberBox<Downstream: Subscriber>: @unchecked Sendable {
    let subscriber: Downstream

    init(_ subscriber: Downstream) { self.subscriber = subscriber }
  }

  private final class LandingsSubscription: Subscription {
    private let landings: LandingSubscription

    init(_ landings: LandingSubscription) { self.landings = landings }

    func request(_ demand: Subscribers.Demand) { landings.request(demand.max) }

    func cancel() { landings.cancel() }
  }
#endif
