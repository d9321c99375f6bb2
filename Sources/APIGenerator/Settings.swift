/// What a run is asked for.
struct Settings: Equatable {
  /// The document, relative to the output.
  var document: String?
  var service: String?
  var baseURL: String?
  /// A file of names by pointer, relative to the output.
  var namesFile: String?
  var access = "internal"
  /// Whether the classes are for subclasses that adopt the protocols, in another module.
  var writesBases = false
  var selection = Selection()

  /// Refuses what cannot be written, whether the command line or an earlier run's manifest says so.
  func check() throws(Problems) {
    guard let service else { throw Problems("--service is needed; see --help") }
    if !["internal", "package", "public"].contains(access) {
      throw Problems("--access \(SafeText.line(access)): internal, package or public")
    }
    if writesBases, access != "public" {
      throw Problems("--bases: only an open class has subclasses in another module; --access must be public")
    }
    if !Words.isType(service) || SwiftNames.isTaken(service) || service.utf8.count > 100 {
      throw Problems(
        "--service \(SafeText.line(service, limit: 200)): a name of a type is needed that is none of Swift or APIKit, e.g. \(Words.typeName(service, suffix: "Service").prefix(50))"
      )
    }
  }
}

/// A command line.
struct Arguments: Equatable {
  static let help = """
    usage: apikit-generate openapi.json --into Sources/App/API --service Homes [options]
           apikit-generate [--into Sources/App/API] [--check | --dry-run]

    Writes the service, one manager for each operation, and the models of an OpenAPI document (3.0 or 3.1, in JSON).
    The settings are kept beside the output: the next run needs no argument.

      --into FOLDER         where the sources are written; made if it is missing
      --service NAME        the name of the service's class
      --tag GLOB            only operations with such a tag; may be repeated, and !GLOB excludes
      --path GLOB           only such paths, e.g. '/homes*'
      --operation GLOB      only such operation ids
      --access LEVEL        internal (the default), package or public
      --bases               open classes that adopt no protocol, for subclasses in another module; or --no-bases
      --base-url URL        the address of the service, in place of those of the document; or --no-base-url
      --names FILE          a JSON object of names, by pointer or by 'GET /path'; or --no-names
      --all                 forgets the kept filters
      --check               writes nothing; exit status 1 when a run would change a file
      --dry-run             writes nothing; says what would change
      --strict              fails where something cannot be written, with exit status 2
      --force               overwrites files that were edited, or that this tool has not written

    Exit status: 0 done, 1 files would change (--check), 2 wrong usage, a bad document, files that were edited, or
    something that cannot be written (--strict).
    """

  enum Mode: Equatable { case write, check, dryRun, help }

  var document: String?
  var folder: String?
  var service: String?
  var baseURL: String?
  var namesFile: String?
  var access: String?
  var writesBases: Bool?
  var selection: Selection?
  var forgetsSelection = false
  var forgetsBaseURL = false
  var forgetsNames = false
  var mode = Mode.write
  var isStrict = false
  var isForced = false

  init(_ words: [String]) throws(Problems) {
    var rest = words[...]
    var selection = Selection()
    func value(_ option: String) throws(Problems) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else {
        throw Problems("\(option) needs a value; see --help")
      }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": mode = .help
      case "--into": folder = try value(word)
      case "--service": service = try value(word)
      case "--tag": selection.tags.append(try value(word))
      case "--path": selection.paths.append(try value(word))
      case "--operation": selection.operations.append(try value(word))
      case "--base-url": baseURL = try value(word)
      case "--no-base-url": forgetsBaseURL = true
      case "--names": namesFile = try value(word)
      case "--no-names": forgetsNames = true
      case "--access": access = try value(word)
      case "--bases": writesBases = true
      case "--no-bases": writesBases = false
      case "--all": forgetsSelection = true
      case "--check": mode = .check
      case "--dry-run": mode = .dryRun
      case "--strict": isStrict = true
      case "--force": isForced = true
      case _ where word.hasPrefix("-"): throw Problems("\(SafeText.line(word)) is unknown; see --help")
      default:
        guard document == nil else {
          throw Problems("one document at a time: \(SafeText.line(word)) is the second")
        }
        document = word
      }
    }
    if selection != Selection() { self.selection = selection }
  }
}
