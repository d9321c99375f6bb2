import APIKit

/// What the document does not say of the service in `API`, which apikit-generate has written from it.
extension Sacramento {
  private static let handwritten = Mutex<SacramentoService?>(nil)

  /// Sends the loads that follow to the server of this service, with its client, cache and signer.
  static func use(_ service: SacramentoService) throws(APIError) {
    let base = service.environments[.release]?.string ?? ""
    shared.environments[.release] = try HTTPURL("\(base)/\(service.apiVersion)")
    handwritten.withLock { $0 = service }
  }

  private var stated: SacramentoService? { Self.handwritten.withLock { $0 } }

  var wire: WireOptions { stated?.wire ?? WireOptions() }
  var cache: CacheOptions { stated?.cache ?? CacheOptions() }
  var admission: AdmissionOptions { stated?.admission ?? AdmissionOptions() }
  var identity: ServiceIdentity { stated?.identity ?? ServiceIdentity() }
  var businessErrors: BusinessErrorRule { stated?.businessErrors ?? .none }
}

extension FindHomesManager {
  var cachePolicy: CachePolicy { .fresh() }
}

extension GetHomeManager {
  var cachePolicy: CachePolicy { .fresh() }
}
