public import APIKit

/// What the managers of streams state alike; adopted by way of ``EventStreamManager`` or ``LineStreamManager``.
///
/// Only ``service`` and ``apiName`` are required beside what those two name; the comment of every other member names its
/// default. The properties are read on the main actor whenever a connection is opened.
@MainActor public protocol StreamManager: AnyObject {
  /// The type of the backend.
  associatedtype Service: APIService

  /// The backend.
  var service: Service { get }
  /// The API's name: the path below the service's base URL.
  var apiName: String { get }
  /// The HTTP method. The default is GET; with POST the parameters are the body, in the service's encoding.
  var method: HTTPMethod { get }
  /// Header fields. The default is none; an event stream adds `Accept`, `Cache-Control` and `Last-Event-ID`.
  var headers: HTTPHeaders { get }
  /// Whether a lost stream is opened again: an event stream by default (``ReconnectPolicy/standard``), a stream of values
  /// not (``ReconnectPolicy/never``).
  var reconnection: ReconnectPolicy { get }
  /// The longest time without a byte, comments of events included. The default is 300 seconds.
  var idleLimit: Duration { get }
  /// How long the server has for the head of its response, from the look-up of its name on; the default is 30 seconds. A
  /// connection that takes longer fails with `APIError.Reason.connectTimeout`. `.zero` means no limit.
  var openLimit: Duration { get }
  /// Whether the request needs the service's sign-in. The default carries its credential if there is one.
  var signIn: SignInRule { get }
  /// What happens while there is no network. The default is the service's gate.
  var networkGate: NetworkGate { get }
}

extension StreamManager {
  /// GET.
  public var method: HTTPMethod { .get }
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// 300 seconds.
  public var idleLimit: Duration { .seconds(300) }
  /// 30 seconds.
  public var openLimit: Duration { .seconds(30) }
  /// With the credential, if there is one.
  public var signIn: SignInRule { .asAvailable }
  /// The service's gate.
  public var networkGate: NetworkGate { service.admission.networkGate }

  /// What every stream states.
  var presentUser: LoadUser { LoadUser(service.identity, service.wire, signIn) }

  var commonStatements: [Statement] {
    [
      Statement("service", service), Statement("apiName", apiName), Statement("method", method),
      Statement("headers", headers), Statement("reconnection", reconnection),
      Statement("idleLimit", idleLimit),
      Statement("openLimit", openLimit), Statement("signIn", signIn), Statement("networkGate", networkGate),
    ]
  }
}
