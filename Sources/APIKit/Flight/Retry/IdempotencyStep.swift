/// Puts an idempotency key on a request that the retry policy wants one on: one key for all attempts.
struct IdempotencyStep {
  let call: APICall

  func run(_ request: inout HTTPRequest) {
    guard let field = call.retryPolicy.idempotencyKeyField, !request.method.isIdempotent,
      !request.headers.contains(field)
    else { return }
    request.headers.add(field, Nonce.make())
  }
}
