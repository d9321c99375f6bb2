/// The common statements of all endpoint classes: of loads, transfers and connections.
///
/// ``APIManager`` and the protocols of the other modules inherit it; they say when the properties are read. Only
/// ``service`` and ``apiName`` are required; the comment of every other member names its default.
@MainActor public protocol EndpointManager: AnyObject {
  /// The type of the backend.
  associatedtype Service: APIService

  /// The backend that the endpoint belongs to.
  var service: Service { get }

  /// The API's name: the path below the service's base URL. A placeholder `{id}` is replaced with the
  /// parameter `id`.
  var apiName: String { get }

  /// Header fields of the endpoint. They replace the service's fields of the same name. The default is none.
  var headers: HTTPHeaders { get }

  /// Whether the service's sign-in is needed: requests carry its credential if there is one (the default),
  /// wait until there is one, or never carry it. See ``ServiceIdentity/authenticator``.
  var signIn: SignInRule { get }

  /// What a load does while offline. The default is the service's gate.
  var networkGate: NetworkGate { get }
}

extension EndpointManager {
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// The credential is carried if there is one.
  public var signIn: SignInRule { .asAvailable }
  /// The service's gate.
  public var networkGate: NetworkGate { service.admission.networkGate }

  /// The user who is signed in now, for what begins now.
  package var presentUser: LoadUser { LoadUser(service.identity, service.wire, signIn: signIn) }
}
