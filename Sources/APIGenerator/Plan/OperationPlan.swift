/// What is written for one operation of the document.
struct OperationPlan {
  /// Where a parameter is sent.
  enum Place: String {
    case path, query, header, cookie, body
  }

  /// A member of the input, with its place.
  struct Parameter {
    var member: Member
    var place: Place
    /// The name at its place, where that of the member differs.
    var sentName: String?
  }

  /// What is sent beside the parameters.
  enum Body {
    case none
    /// The members of the input that have no other place.
    case members(isForm: Bool)
    /// One member of the input.
    case whole(key: String)
    /// Bytes or a form with files, which the caller makes.
    case upload(contentType: String)
  }

  /// What comes back.
  enum Output {
    case nothing
    case value(SwiftType, isOptional: Bool)
    /// Bytes of this content type, which are not decoded.
    case bytes(String)
    /// Different things, by the status of the response.
    indirect case byStatus([(status: String, output: Output)])

    /// The types that are received.
    var types: [SwiftType] {
      switch self {
      case .nothing, .bytes: []
      case .value(let type, _): [type]
      case .byStatus(let replies): replies.flatMap(\.output.types)
      }
    }
  }

  let path: String
  let method: String
  let node: JSONNode
  let pointer: String
  let tag: String
  /// The name without `Manager`.
  var baseName: String
  var className = ""
  var template = ""
  /// The address of the operation, where it is not that of the service.
  var server: String?
  /// The service that it belongs to.
  var service = ""
  var parameters: [Parameter] = []
  var body = Body.none
  var bodyContentType: String?
  var output = Output.nothing
  /// What the server is asked to send, where it has several forms or one of its own.
  var accept: String?
  var signIn: SignIn = .asAvailable
  var isPaged = false
  /// How the arrays of the query are written.
  var arrays: String?
  /// The models of its failures.
  var failures: [SwiftType] = []

  enum SignIn: String { case asAvailable, required, exempt }

  /// What identifies it in the manifest.
  var key: String { "\(method.uppercased()) \(path)" }
  var text: String { node["summary"]?.string ?? node["description"]?.string ?? "" }
}
