/// One option of a command: its names, its value, and a line for the help.
struct Option: Sendable {
  /// The first is shown in the help; the others are accepted as well.
  var names: [String]
  /// The word for its value in the help; nil for an option without one.
  var value: String?
  /// Whether it may be given several times.
  var isRepeatable: Bool
  var help: String

  init(_ names: String..., value: String? = nil, isRepeatable: Bool = false, help: String) {
    self.names = names
    self.value = value
    self.isRepeatable = isRepeatable
    self.help = help
  }
}

extension Option {
  /// The options of every command.
  static let everywhere = [
    Option("--json", help: "write JSON for machines"),
    Option("--transport", value: "NAME", help: "\(TransportChoice.names); the default is the platform's"),
    Option("--explain", help: "print on stderr what happened to every load, step by step"),
    Option("--har", value: "FILE", help: "write what was sent and received as HAR 1.2, secrets masked"),
    Option("--verbose", "-v", help: "show each request as a curl command on stderr, secrets masked"),
  ]

  /// The options of the commands that ask the demo's services.
  static let services = [
    Option("--base-url", value: "URL", help: "a server elsewhere; the default is one of our own on loopback"),
    Option(
      "--addresses", value: "LIST", help: "servers of the name in --base-url, HOST:PORT with commas between"),
    Option(
      "--no-cache", help: "ask the server; else responses are kept for three minutes, for later runs too"),
    Option(
      "--cache-folder", value: "PATH", help: "where they are kept; see DemoCLI cache for the usual place"),
  ]

  /// The options that choose source, order and page.
  static let paging = [
    Option("--source", value: "NAME", help: "sacramento, ames, new, or all (merged); the default is all"),
    Option("--sort", value: "KEY", help: "price, beds, area, place; -KEY for the other way round"),
    Option("--page", value: "N", help: "the page, from 1"),
    Option("--size", value: "N", help: "homes per page, 1 to 100; the default is 20"),
  ]

  /// The options that choose homes.
  static let filters = [
    Option("--min-price", value: "USD", help: "at least this price"),
    Option("--max-price", value: "USD", help: "at most this price"),
    Option("--beds", "--min-beds", value: "N", help: "at least so many bedrooms"),
    Option("--min-area", value: "SQFT", help: "at least this living area"),
    Option("--max-area", value: "SQFT", help: "at most this living area"),
    Option(
      "--place", "--city", "--neighborhood", "--neighbourhood", value: "NAME", help: "city or neighbourhood"),
    Option("--type", value: "KIND", help: "the kind of building: Residential, Condo, OneFam, Twnhs …"),
  ]

  /// The options of everything that asks a URL.
  static let asking = [
    Option("--header", "-H", value: "FIELD", isRepeatable: true, help: "a header field, Name: value"),
    Option(
      "--auth", "-a", value: "LOGIN",
      help: "USER:PASSWORD, or a token with bearer; @FILE reads it from a file"),
    Option("--auth-type", value: "TYPE", help: "basic, the default, digest, any or bearer"),
    Option(
      "--sign", value: "HOW", help: "hmac or hmac:ID, ALGORITHM:ID (RFC 9421), or aws:REGION/SERVICE"),
    Option(
      "--key", value: "FILE", help: "the key to sign with; for aws AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"),
    Option("--redirects", value: "RULE", help: "follow, the default, same-origin or refuse"),
  ]

  /// The options of everything that loads from a URL.
  static let loading = [
    Option("--form", "-f", help: "send data as a form; the default is JSON"),
    Option(
      "--show", value: "WHAT", help: "head, body or all; all on a terminal, body elsewhere; head for head"),
    Option("--output", "-o", value: "FILE", help: "write the body to this file"),
    Option("--overwrite", help: "replace the file if it is there"),
    Option("--retries", value: "N", help: "how often a failed load is sent again, 0 to 20; the default is 0"),
    Option(
      "--timeout", value: "S", help: "the most seconds for each attempt; without it 30 without a byte end one"
    ),
  ]
}
