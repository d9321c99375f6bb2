import APIKit
import DemoServer

/// What the commands of one run share: the services, and where to print.
@MainActor
final class Session {
  let console: Console
  let writesJSON: Bool
  /// Where the run keeps its answers; nil unless asked for.
  let cache: ResponseCache?
  /// Whether something was reported as failed though the command went on.
  private(set) var hasFailed = false

  private let arguments: ParsedArguments
  private let lastFlightBefore = FlightLog.shared.records.last?.flight ?? FlightID(rawValue: 0)
  private lazy var backends = Result { try Backends(arguments, cache: cache, console: console) }

  init(_ arguments: ParsedArguments, console: Console) {
    self.arguments = arguments
    self.console = console
    writesJSON = arguments.has("--json")
    cache = arguments.has("--cache") ? Answers.open() : nil
  }

  /// Homes around Sacramento.
  var sacramento: SacramentoService { get throws { try backends.get().sacramento } }
  /// Homes in Ames.
  var ames: AmesService { get throws { try backends.get().ames } }
  /// New homes in Ames.
  var newHomes: NewHomesService { get throws { try backends.get().newHomes } }

  /// Where the services are.
  var baseURL: HTTPURL { get throws { try backends.get().baseURL } }
  /// What carries the requests.
  var client: HTTPClient { get throws { try backends.get().client } }

  /// Requests that reached the run's own server; nil with a server elsewhere.
  var requestCount: Int? { try? backends.get().server?.counters.requests }

  /// Waits until the run's answers are stored, and says on stderr how many came from the cache.
  func keepAnswers() async {
    guard let cache else { return }
    await cache.flush()
    let numbers = cache.statistics
    console.error(
      "answers from the cache: \(numbers.memory.hits + numbers.disk.hits), stored: \(numbers.disk.stores)")
  }

  /// Prints the records of the run's flights on stderr.
  func explain() {
    for record in FlightLog.shared.records where record.flight > lastFlightBefore {
      console.error(record.description)
    }
  }

  /// Says on stderr what failed; the exit status will be 1.
  func report(_ error: any Error) {
    console.error("DemoCLI: \(error)")
    hasFailed = true
  }
}

/// The three services, on a server of the run's own unless the arguments name another.
private struct Backends {
  let sacramento: SacramentoService
  let ames: AmesService
  let newHomes: NewHomesService
  let baseURL: HTTPURL
  let client: HTTPClient
  let server: DemoServer?

  init(_ arguments: ParsedArguments, cache: ResponseCache?, console: Console) throws {
    if let text = arguments.text("--base-url") {
      server = nil
      do throws(APIError) {
        baseURL = try HTTPURL(text.hasSuffix("/") ? text : text + "/")
      } catch {
        throw UsageError("--base-url: \(error.detail)")
      }
    } else {
      let own = try DemoServer(signatures: .standard())
      server = own
      baseURL = own.baseURL
    }
    let baseURL = baseURL
    let answers = Answers(cache: cache, origin: server == nil ? nil : "demo")
    let client = HTTPClient(transport: try Self.transport(arguments, console: console))
    self.client = client
    func environments(_ path: String) throws -> ServiceEnvironments {
      ServiceEnvironments(try HTTPURL(baseURL.string + path))
    }
    sacramento = SacramentoService(
      environments: try environments("sacramento"), client: client, answers: answers)
    ames = AmesService(environments: try environments("ames"), client: client, answers: answers)
    newHomes = NewHomesService(environments: try environments("new"), client: client, answers: answers)
  }

  private static func transport(
    _ arguments: ParsedArguments, console: Console
  ) throws -> any HTTPTransport {
    let name = arguments.text("--transport") ?? TransportChoice.allCases[0].rawValue
    guard let choice = TransportChoice(rawValue: name) else {
      throw UsageError("--transport must be one of \(TransportChoice.names), not \(name)")
    }
    let transport = try choice.make()
    return arguments.has("--verbose") ? TalkingTransport(base: transport, console: console) : transport
  }
}
