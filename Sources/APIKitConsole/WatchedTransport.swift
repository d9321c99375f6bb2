import APIKit

/// Sends by another transport, under the console's rules, and shows the console each request.
struct WatchedTransport: TransportWrapper {
  let base: any HTTPTransport
  let console: ConsoleState

  func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
    console.keep(exchange)
    return completion
  }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    let completion = follow(exchange, completion)
    guard let rule = console.rule(for: exchange.request.url) else {
      return base.start(exchange, completion: completion)
    }
    return Task.detached {
      do throws(APIError) { completion(.success(try await respond(to: exchange, rule))) } catch {
        completion(.failure(error))
      }
    }
  }

  private func respond(to exchange: HTTPExchange, _ rule: FaultRule) async throws(APIError) -> HTTPResponse {
    if rule.latencyMilliseconds > 0 {
      do { try await Task.sleep(for: .milliseconds(rule.latencyMilliseconds)) } catch {
        throw APIError(.transport, .cancelled).unsent
      }
    }
    if rule.loss > 0, Double.random(in: 0..<1) < rule.loss {
      throw APIError(.transport, .connectionLost, "lost by the rule \(rule.pattern) of the console").unsent
    }
    guard let status = rule.status else { return try await base.send(exchange) }
    return HTTPResponse(status: status, headers: ["X-Console-Rule": "1"], url: exchange.request.url)
  }
}
