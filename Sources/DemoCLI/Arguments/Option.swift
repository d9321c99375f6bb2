/// One option of a command: its names, its value, and a line for the help.
struct Option: Sendable {
  /// The first is shown in the help; the others are accepted as well.
  var names: [String]
  /// The word for its value in the help; nil for an option without one.
  var value: String?
  var help: String

  init(_ names: String..., value: String? = nil, help: String) {
    self.names = names
    self.value = value
    self.help = help
  }
}

extension Option {
  /// The options of every command.
  static let common = [
    Option("--json", help: "write JSON for machines"),
    Option("--base-url", value: "URL", help: "a server elsewhere; the default is one of our own on loopback"),
    Option(
      "--addresses", value: "LIST", help: "servers of the name in --base-url, HOST:PORT with commas between"),
    Option("--transport", value: "NAME", help: "\(TransportChoice.names); the default is the platform's"),
    Option(
      "--no-cache", help: "ask the server; else responses are kept for three minutes, for later runs too"),
    Option(
      "--cache-folder", value: "PATH", help: "where they are kept; see DemoCLI cache for the usual place"),
    Option("--explain", help: "print on stderr what happened to every load, step by step"),
    Option("--har", value: "FILE", help: "write what was sent and received as HAR 1.2, secrets masked"),
    Option("--verbose", "-v", help: "show each request as a curl command on stderr, secrets masked"),
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
}
