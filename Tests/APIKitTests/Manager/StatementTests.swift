import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a manager or a service states counts, or the first load says by name that it does not.
@MainActor final class StatementTests: XCTestCase {
  private func refusal(of manager: some APIManager) throws -> String {
    let refusal = try XCTUnwrap(manager.load().refusal, "the load took off")
    XCTAssertEqual(refusal.label, "takeoff.misconfigured")
    XCTAssertEqual(refusal.context.manager, String(describing: type(of: manager)))
    return refusal.detail
  }

  func testPlainValuesOfEveryRequirementCount() async throws {
    let manager = EverythingStated()
    manager.load()
    let call = try XCTUnwrap(FlightRegistry.shared.flights(.manager(EverythingStated.self)).first?.call)
    XCTAssertEqual(call.method, .put)
    XCTAssertEqual(call.terms.retryPolicy.attempts, RetryPolicy.standard.attempts)
    XCTAssertNotEqual(RetryPolicy.standard.attempts, RetryPolicy.never.attempts)
    XCTAssertEqual(String(reflecting: call.terms.encoding), String(reflecting: ParameterEncoding.form))
    XCTAssertEqual(call.terms.timeouts.total, .seconds(3))
    XCTAssertEqual(call.terms.networkGate.rule, NetworkGate.refuse.rule)
    XCTAssertEqual(call.terms.priority, .high)
    XCTAssertEqual(call.terms.headers, ["X-Kind": "own"])
    XCTAssertTrue(call.terms.joinsIdenticalFlights)
    manager.cancel()
  }

  func testAnOptionalOrOtherTypeInTheNameOfARequirementIsRefusedByName() async throws {
    let text = try refusal(of: WrongTypes())
    for part in [
      "WrongTypes.retryPolicy is stored as Optional<RetryPolicy>, so the default of APIManager counts; "
        + "state it as `retryPolicy: RetryPolicy`",
      "WrongTypes.timeouts is stored as Duration", "`timeouts: HTTPTimeouts`",
      "WrongTypes.headers is stored as Dictionary<String, String>", "`headers: HTTPHeaders`",
      "WrongTypes.takeoffPolicy is stored as Rule", "WrongTypes.method is stored as String",
    ] {
      XCTAssertTrue(text.contains(part), "\(part) in: \(text)")
    }
  }

  func testAMisspeltStatementIsRefusedWithTheNearestMember() async throws {
    let text = try refusal(of: MisspeltStatements())
    for part in [
      "MisspeltStatements.timeout is stored and never asked for; state it as `timeouts`",
      "MisspeltStatements.retryPolice is stored and never asked for; state it as `retryPolicy`",
      "MisspeltStatements.cachepolicy is stored and never asked for; state it as `cachePolicy`",
      "MisspeltStatements.header is stored and never asked for; state it as `headers`",
      "MisspeltStatements.takeOffPolicy is stored and never asked for; state it as `takeoffPolicy`",
      "MisspeltStatements.parametersEncoding is stored and never asked for; state it as `parameterEncoding`",
      "MisspeltStatements.expectations is stored and never asked for; state it as `expectation`",
      "MisspeltStatements.isQueue is stored and never asked for; state it as `isQueued`",
      "MisspeltStatements.joinsIdenticalFlight is stored and never asked for; state it as `joinsIdenticalFlights`",
      "MisspeltStatements.decodings is stored and never asked for; state it as `decoding`",
    ] {
      XCTAssertTrue(text.contains(part), "\(part) in: \(text)")
    }
    // Of another type, or of a name that is far from any, a property is the application's own.
    XCTAssertFalse(text.contains("methods"), text)
    XCTAssertFalse(text.contains("limits"), text)
  }

  func testEveryLoadOfAMisconfiguredManagerIsRefusedAndItsDelegateHearsOfIt() async throws {
    let (manager, recorder) = (WrongTypes(), Recorder())
    manager.delegate = recorder
    _ = try refusal(of: manager)
    _ = try refusal(of: manager)
    _ = try refusal(of: WrongTypes())
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.label), ["takeoff.misconfigured", "takeoff.misconfigured"])
  }

  func testAMemberInheritedFromABaseClassOfAnotherTypeIsRefusedByName() async throws {
    let text = try refusal(of: LeafOfWrongBase())
    XCTAssertTrue(text.contains("WrongBase.priority is stored as Int"), text)
  }

  func testHabitsStoredBesideTheOptionsOfAServiceAreRefusedByName() async throws {
    let text = try refusal(of: ManagerOf(LostHabits()))
    for (name, place) in [
      ("signer", "identity: ServiceIdentity(signer:)"),
      ("authenticator", "identity: ServiceIdentity(authenticator:)"),
      ("clock", "identity: ServiceIdentity(clock:)"), ("client", "wire: WireOptions(client:)"),
      ("timeouts", "wire: WireOptions(timeouts:)"),
      ("volatileParameters", "cache: CacheOptions(volatileParameters:)"),
      ("breaker", "admission: AdmissionOptions(breaker:)"),
      ("retryPolicy", "admission: AdmissionOptions(retryPolicy:)"),
    ] {
      let part = "LostHabits.\(name) is stored and never asked for; state it in `\(place)`"
      XCTAssertTrue(text.contains(part), "\(part) in: \(text)")
    }
    XCTAssertFalse(text.contains("origin"), "what has nothing to do with the option is no statement: \(text)")
    XCTAssertFalse(text.contains("hostLimits"), "nothing is stated by nil: \(text)")
  }

  func testARequirementOfAServiceWithAnotherTypeIsRefusedByName() async throws {
    let text = try refusal(of: ManagerOf(WrongService()))
    XCTAssertTrue(text.contains("WrongService.apiVersion is stored as Int"), text)
    XCTAssertTrue(text.contains("`apiVersion: String`"), text)
    XCTAssertTrue(text.contains("WrongService.cache is stored as ResponseCache"), text)
  }

  func testASubclassOfAServiceThatStatesWhatItsBaseDoesNotIsRefusedByName() async throws {
    let text = try refusal(of: ManagerOf(LeafService()))
    XCTAssertTrue(
      text.contains("LeafService.apiVersion is stored, but APIService is told another value"), text)
  }

  func testConcreteTypesInTheOptionsOfAServiceAreUsed() async throws {
    let stub = StubTransport(.json(someJSON))
    let manager = ManagerOf(SignedService(wire: WireOptions(client: HTTPClient(transport: stub))))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.first?.headers["X-Signed"], "yes")
  }

  func testEnvironmentsThatAreMadeAtEachReadAreRefused() async throws {
    XCTAssertTrue(try refusal(of: ManagerOf(ForgetfulService())).contains("made anew at each read"))
    XCTAssertTrue(try refusal(of: ForgetfulManager()).contains("made anew at each read"))
    XCTAssertTrue(
      try refusal(of: ManagerOf(ComputedIdentityService())).contains("the identity of Computed is made anew"))
  }

  // MARK: Base classes of an application

  func testALeafThatAdoptsUsesWhatItsBaseClassStates() async throws {
    let leaf = Leaf()
    leaf.load()
    let call = try XCTUnwrap(FlightRegistry.shared.flights(.manager(Leaf.self)).first?.call)
    XCTAssertEqual(call.terms.headers, ["X-App": "homes"])
    XCTAssertEqual(call.method, .post, "the leaf overrides it")
    XCTAssertEqual(call.terms.timeouts.total, .seconds(4), "the leaf states it")
    XCTAssertEqual(leaf.load().refusal?.reason, .alreadyLoading, "the base's policy")
    XCTAssertEqual(leaf.load(["bad": true]).refusal?.detail, "the base refuses it")
    XCTAssertEqual(leaf.load(["worse": true]).refusal?.detail, "the leaf refuses it")
    leaf.cancel()
  }

  func testALeafMayOverrideWhatItsBaseClassStores() async throws {
    let leaf = LeafOverStored()
    leaf.load()
    let call = try XCTUnwrap(FlightRegistry.shared.flights(.manager(LeafOverStored.self)).first?.call)
    XCTAssertEqual(call.method, .post)
    leaf.cancel()
  }

  func testALeafThatInheritsItsAdoptionIsRefusedByName() async throws {
    let text = try refusal(of: LeafOfAdopter())
    XCTAssertTrue(text.contains("LeafOfAdopter inherits the adoption of APIManager from Adopter"), text)
    XCTAssertTrue(text.contains("let Adopter be a subclass of BaseAPIManager only"), text)
    let adopter = Adopter()
    XCTAssertNil(adopter.load().refusal)
    adopter.cancel()
  }
}

private struct Plain: APIService {
  static let shared = Plain()
  let name = "Plain"
  let environments = ServiceEnvironments("https://plain.test")
  let wire: WireOptions = {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    return WireOptions(client: HTTPClient(transport: stub))
  }()
}

private final class EverythingStated: BaseAPIManager, APIManager {
  let service = Plain.shared
  let apiName = "list"
  let method = HTTPMethod.put
  let takeoffPolicy = TakeoffPolicy.queue
  let headers: HTTPHeaders = ["X-Kind": "own"]
  let parameterEncoding = ParameterEncoding.form
  let timeouts = HTTPTimeouts(total: .seconds(3))
  let retryPolicy = RetryPolicy.standard
  let joinsIdenticalFlights = true
  let priority = FlightPriority.high
  let networkGate = NetworkGate.refuse
  let signIn = SignInRule.exempt
  let expectation = ResponseExpectation()
  let cachePolicy = CachePolicy.none
  let cacheTraits = CacheTraits(tags: ["a", "b", "c"])
  let outlivesRelease = false
}

private final class WrongTypes: BaseAPIManager, APIManager {
  let service = Plain.shared
  let apiName = "list"
  let retryPolicy: RetryPolicy? = .standard
  let timeouts = Duration.seconds(3)
  let headers = ["X-Kind": "own"]
  let takeoffPolicy = TakeoffPolicy.Rule.ignoreNew
  let method = "POST"
}

private class WrongBase: BaseAPIManager {
  let priority = 3
}

private final class LeafOfWrongBase: WrongBase, APIManager {
  let service = Plain.shared
  let apiName = "list"
}

private final class ManagerOf<Service: APIService>: BaseAPIManager, APIManager {
  let service: Service
  let apiName = "list"

  init(_ service: Service) {
    self.service = service
    super.init()
  }
}

private struct SomeSigner: RequestSigner {
  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Signed"] = "yes"
  }
}

private struct LostHabits: APIService {
  let name = "Lost"
  let environments = ServiceEnvironments("https://lost.test")
  let signer = SomeSigner()
  let authenticator = Authenticator()
  let clock: ServerClock? = ServerClock()
  let client = HTTPClient(transport: StubTransport())
  let timeouts = HTTPTimeouts(total: .seconds(1))
  let volatileParameters: Set<String> = ["page"]
  let breaker = BreakerPolicy()
  let retryPolicy = RetryPolicy.standard
  let hostLimits: HostLimits? = nil
  /// Not the cache's: another type.
  let origin = 7
}

private struct WrongService: APIService {
  let name = "Wrong"
  let environments = ServiceEnvironments("https://wrong.test")
  let apiVersion = 2
  let cache = ResponseCache.shared
}

private class BaseService: APIService, @unchecked Sendable {
  let name = "Base"
  let environments = ServiceEnvironments("https://base.test")
}

private final class LeafService: BaseService, @unchecked Sendable {
  let apiVersion = "v2"
}

private struct SignedService: APIService {
  let name = "Signed"
  let environments = ServiceEnvironments("https://signed.test")
  let identity = ServiceIdentity(signer: SomeSigner())
  let wire: WireOptions
}

private struct ForgetfulService: APIService {
  let name = "Forgetful"
  var environments: ServiceEnvironments { ServiceEnvironments("https://forgetful.test") }
}

/// Each read makes an authenticator at which nobody has signed in.
private struct ComputedIdentityService: APIService {
  let name = "Computed"
  let environments = ServiceEnvironments("https://computed.test")
  var identity: ServiceIdentity { ServiceIdentity(authenticator: Authenticator()) }
}

private final class ForgetfulManager: BaseAPIManager, APIManager {
  var service: WrappedService { WrappedService() }
  let apiName = "list"
}

private struct WrappedService: APIService {
  let name = "Wrapped"
  let environments = ServiceEnvironments("https://wrapped.test")
}

/// What all endpoints of an application have in common.
private class AppManager: BaseAPIManager {
  var headers: HTTPHeaders { ["X-App": "homes"] }
  var method: HTTPMethod { .get }
  let takeoffPolicy = TakeoffPolicy.ignoreNew

  func validate(parameters: Parameters) throws {
    if parameters["bad"] != nil { throw ValidationError("the base refuses it") }
  }
}

private final class Leaf: AppManager, APIManager {
  let service = Plain.shared
  let apiName = "list"
  let timeouts = HTTPTimeouts(total: .seconds(4))
  override var method: HTTPMethod { .post }

  override func validate(parameters: Parameters) throws {
    try super.validate(parameters: parameters)
    if parameters["worse"] != nil { throw ValidationError("the leaf refuses it") }
  }
}

private class StoringManager: BaseAPIManager {
  var method = HTTPMethod.get
}

private final class LeafOverStored: StoringManager, APIManager {
  let service = Plain.shared
  let apiName = "list"
  override var method: HTTPMethod {
    get { .post }
    set {}
  }
}

private class Adopter: BaseAPIManager, APIManager {
  let service = Plain.shared
  let apiName = "list"
}

private final class LeafOfAdopter: Adopter {
  let takeoffPolicy = TakeoffPolicy.queue
  let retryPolicy = RetryPolicy.standard
}

private final class MisspeltStatements: BaseAPIManager, APIManager {
  let service = TestService(StubTransport(.json("{}")))
  let apiName = "list"
  let timeout = HTTPTimeouts()
  let retryPolice = RetryPolicy.standard
  let cachepolicy = CachePolicy.none
  let header = HTTPHeaders()
  let takeOffPolicy = TakeoffPolicy.cancelPrevious
  let parametersEncoding = ParameterEncoding.json
  let expectations = ResponseExpectation()
  let isQueue = false
  let joinsIdenticalFlight = true
  let decodings = RawData.DecodingOptions()
  let methods = ["GET"]
  let limits = HTTPTimeouts()
}
