/// Runs a reformer on the data of one landing, and gives its errors their place.
struct Reforming: Sendable {
  let raw: RawData
  let call: APICall?

  func run<Output>(_ reformer: some Reformer<Output>) throws(APIError) -> Output {
    guard let call else {
      throw APIError(.reform, .reformFailed, "there is no data to reform: no load has succeeded yet")
    }
    let source = ReformSource(
      managerType: call.managerType, serviceName: call.service.name, apiName: call.apiName,
      parameters: call.parameters)
    do {
      return try reformer.reform(raw, from: source)
    } catch is CancellationError {
      throw APIError(.reform, .cancelled, "the reform was cancelled").completed(for: call)
    } catch var error as APIError {
      error.place = .reform
      throw error.completed(for: call)
    } catch {
      throw APIError(
        .reform, .reformFailed, "\(type(of: reformer)) threw \(type(of: error))", underlying: error
      ).completed(for: call)
    }
  }

  @concurrent func runInBackground<Output>(
    _ reformer: some Reformer<Output>
  ) async throws(APIError) -> Output {
    try run(reformer)
  }
}
