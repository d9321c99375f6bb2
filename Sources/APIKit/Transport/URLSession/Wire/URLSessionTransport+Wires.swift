import Foundation

extension URLSessionTransport: WireTransport {
  package func makeWire(for exchange: HTTPExchange, speaksHTTP: Bool) throws(APIError) -> any Wire {
    #if canImport(FoundationNetworking)
      throw APIError(
        unsupported: "streams of bytes, which it opens on Apple platforms alone; CurlTransport opens them")
    #else
      // The delegate of a session that was given decides about servers, and is asked by its session alone.
      guard let challenges = bridge.challenges else {
        throw APIError(
          unsupported:
            "streams of bytes beside a session that was given; a transport with a session of its own has them"
        )
      }
      try capabilities.check(exchange, cleartext: configuration.cleartextInForce)
      guard exchange.challenges == nil, configuration.challenges == nil else {
        throw APIError(
          unsupported: "asking the application about challenges (challenges) of streams of bytes")
      }
      let terms = try NetworkWireTerms(
        exchange, configuration, speaksHTTP: speaksHTTP, takesProxies: SystemLink.takesProxies,
        plist: Bundle.main.infoDictionary)
      let bridge = bridge
      return NetworkWire(SystemLink(terms, challenges.trust), terms.machine) { wire throws(APIError) in
        _ = try bridge.add { () throws(APIError) in wire }
      } leave: {
        bridge.forget($0.taskIdentifier)
      }
    #endif
  }
}
