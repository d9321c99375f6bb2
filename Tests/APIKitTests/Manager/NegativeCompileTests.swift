import XCTest

/// What the discrete half forbids does not compile; each case stands beside one that does.
final class NegativeCompileTests: XCTestCase {
  private let service = """
    import APIKit
    struct Listings: APIService {
      let name = "Listings"
      let environments = ServiceEnvironments("https://example.com")
    }

    """

  private func manager(adopting roles: String, body: String = "", uses: String) -> String {
    service + """
      final class Rents: \(roles) {
        let service = Listings()
        let apiName = "rent/list"
        \(body)
      }
      func use(_ rents: Rents) async throws {
        \(uses)
      }
      """
  }

  func testAManagerThatAdoptsAPIManagerCanLoad() throws {
    let source = manager(
      adopting: "BaseAPIManager, APIManager",
      uses: """
        await rents.load()
        await rents.load(["city": "Suzhou"])
        _ = try await rents.response()
        _ = try await rents.response(["city": "Suzhou"])
        func any(_ some: any APIManager) async { await some.load() }
        func generic<M: APIManager>(_ some: M) async { await some.load(["page": 2]) }
        """)
    XCTAssertEqual(try SwiftCompiler().errors(in: source), [])
  }

  func testAManagerThatDoesNotAdoptAPIManagerCannotLoad() throws {
    for use in [
      "await rents.load()", "await rents.load([\"city\": \"Suzhou\"])", "_ = try await rents.response()",
      "_ = try await rents.response([\"city\": \"Suzhou\"])",
    ] {
      let errors = try SwiftCompiler().errors(in: manager(adopting: "BaseAPIManager", uses: use))
      XCTAssertEqual(errors.count, 1, "\(use): \(errors)")
      XCTAssertTrue(errors.first?.contains("adopts APIManager") == true, "\(use): \(errors)")
    }
  }

  /// The table of Docs/Troubleshooting.md: what the compiler finds of misspelt names, and what it does not.
  func testTheCompilerFindsMisspeltNamesOfWhatIsRequired() throws {
    let manager = { (body: String) in
      self.service + "final class Rents: BaseAPIManager, APIManager {\n\(body)\n}\n"
    }
    let delegate = { (methods: String) in
      "import APIKit\nfinal class Screen: APIManagerDelegate {\n\(methods)\n}\n"
    }
    let success = "func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {}"
    let failure = "func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}"
    for (source, isFound) in [
      (manager("let service = Listings(), apiName = \"rents\""), false),
      (manager("let service = Listings(), apiname = \"rents\""), true),
      (manager("let Service = Listings(), apiName = \"rents\""), true),
      (manager("let service = Listings(), apiName = \"rents\", timeout = HTTPTimeouts()"), false),
      (
        manager(
          "let service = Listings(), apiName = \"rents\"\nfunc validate(parameter: Parameters) throws {}"),
        false
      ),
      (delegate("\(success)\n\(failure)"), false),
      (delegate("\(success.replacing("didSucceedWith", with: "didSucceed"))\n\(failure)"), true),
      (delegate("\(success)\n\(failure.replacing("didFailWith", with: "didFail"))"), true),
      (delegate("\(success)\n\(failure.replacing("APIError", with: "Error"))"), true),
      (
        delegate(
          "\(success)\n\(failure)\nfunc manager(_ m: BaseAPIManager, didCanceled f: FlightID, because r: CancellationReason) {}"
        ),
        false
      ),
    ] {
      let errors = try SwiftCompiler().errors(in: source)
      XCTAssertEqual(!errors.isEmpty, isFound, "\(source): \(errors)")
    }
  }

  func testADictionaryOfAnyIsRefusedWithASentence() throws {
    for use in [
      "rents.load(values)", "_ = try await rents.response(values)", "_ = try await rents.value(values)",
    ] {
      let source = manager(
        adopting: "BaseAPIManager, APIManager", body: "struct Output: Decodable, Sendable {}",
        uses:
          "let values: [String: Any] = [\"city\": \"Suzhou\", \"beds\": 3]\n    await MainActor.run { _ = 0 }\n    \(use)"
      )
      let errors = try SwiftCompiler().errors(in: source.replacing("func use(", with: "@MainActor func use("))
      XCTAssertEqual(errors.count, 1, "\(use): \(errors)")
      XCTAssertTrue(errors.first?.contains("declare it as Parameters") == true, "\(use): \(errors)")
    }
  }

  func testTheContractAsksForServiceAndName() throws {
    let errors = try SwiftCompiler().errors(in: service + "final class Rents: BaseAPIManager, APIManager {}")
    XCTAssertEqual(errors.count, 1, "\(errors)")
    XCTAssertTrue(
      errors.first?.contains("does not conform to protocol 'EndpointManager'") == true, "\(errors)")
  }

  func testNothingOfTheBaseCanBeOverridden() throws {
    let members = [
      "override func cancel() {}", "override var isLoading: Bool { false }",
      "override var flights: [FlightID] { [] }", "override var rawData: RawData { .missing }",
      "override func addInterceptor(_ interceptor: any APIManagerInterceptor) {}",
    ]
    for member in members {
      let source = manager(adopting: "BaseAPIManager, APIManager", body: member, uses: "")
      let errors = try SwiftCompiler().errors(in: source)
      XCTAssertTrue(
        errors.contains { $0.contains("of 'open' ") || $0.contains("non-open") }, "\(member): \(errors)")
    }
  }

  func testAManagerLivesOnTheMainActor() throws {
    let source = manager(adopting: "BaseAPIManager, APIManager", uses: "rents.load()")
    let errors = try SwiftCompiler().errors(in: source)
    XCTAssertEqual(errors.count, 1, "\(errors)")
    XCTAssertTrue(errors.first?.contains("main actor") == true, "\(errors)")
  }
}
