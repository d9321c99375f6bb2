// swift-format-ignore-file
// https://developer.apple.com/documentation/combine/publisher
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
  func receive<S: Subscriber>(subscriber: S) where Self.Failure == S.Failure, Self.Output == S.Input
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Publisher where Failure == Never {
  /// https://developer.apple.com/documentation/combine/publisher/sink(receivevalue:)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { fatalError() }
}
/// https://developer.apple.com/documentation/combine/anypublisher
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  public init<P: Publisher>(_ publisher: P) where Output == P.Output, Failure == P.Failure { fatalError() }
  public func receive<S: Subscriber>(subscriber: S) where Output == S.Input, Failure == S.Failure { fatalError() }
}
/// https://developer.apple.com/documentation/combine/subscriber
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  associatedtype Input
  associatedtype Failure: Error
  func receive(subscription: any Subscription)
  func receive(_ input: Input) -> Subscribers.Demand
  func receive(completion: Subscribers.Completion<Failure>)
}
/// https://developer.apple.com/documentation/combine/subscribers
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum Subscribers {
  /// https://developer.apple.com/documentation/combine/subscribers/demand
  public struct Demand: Equatable, Sendable {
    public static let unlimited = Demand()
    public static let none = Demand()
    public static func max(_ value: Int) -> Demand { fatalError() }
    public var max: Int? { fatalError() }
  }
  /// https://developer.apple.com/documentation/combine/subscribers/completion
  public enum Completion<Failure: Error> { case finished, failure(Failure) }
}
/// https://developer.apple.com/documentation/combine/subscription
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  func request(_ demand: Subscribers.Demand)
}
/// https://developer.apple.com/documentation/combine/cancellable
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Cancellable { func cancel() }
/// https://developer.apple.com/documentation/combine/anycancellable
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public final class AnyCancellable: Cancellable, Hashable {
  public func cancel() { fatalError() }
  public func store(in set: inout Set<AnyCancellable>) { fatalError() }
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { fatalError() }
  public func hash(into hasher: inout Hasher) { fatalError() }
}
/// https://developer.apple.com/documentation/combine/combineidentifier
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct CombineIdentifier: Hashable, Sendable {}
/// https://developer.apple.com/documentation/combine/customcombineidentifierconvertible
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol CustomCombineIdentifierConvertible { var combineIdentifier: CombineIdentifier { get } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension CustomCombineIdentifierConvertible where Self: AnyObject {
  public var combineIdentifier: CombineIdentifier { fatalError() }
}
