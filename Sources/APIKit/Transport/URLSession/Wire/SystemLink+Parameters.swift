// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Network)
  import Dispatch
  import Foundation
  import Network
  import Security

  extension SystemLink {
    /// What a connection is made with.
    func parameters(
      on queue: DispatchQueue, _ report: @escaping @Sendable (NetworkEvent) -> Void
    ) -> NWParameters {
      let tcp = NWProtocolTCP.Options()
      // libcurl's, so that a connection that is silently gone is found alike everywhere.
      tcp.noDelay = true
      tcp.enableKeepalive = true
      tcp.keepaliveIdle = 60
      tcp.keepaliveInterval = 60
      let parameters = NWParameters(tls: terms.isSecure ? tls(on: queue, report) : nil, tcp: tcp)
      let system = terms.system
      if !system.allowsCellular { parameters.prohibitedInterfaceTypes = [.cellular] }
      parameters.prohibitExpensivePaths = !system.allowsExpensive
      parameters.prohibitConstrainedPaths = !system.allowsConstrained
      parameters.serviceClass = system.serviceType.serviceClass
      parameters.preferNoProxies = terms.proxy == .none
      if case .through(let proxy) = terms.proxy { parameters.go(through: proxy) }
      return parameters
    }

    private func tls(
      on queue: DispatchQueue, _ report: @escaping @Sendable (NetworkEvent) -> Void
    ) -> NWProtocolTLS.Options {
      let tls = NWProtocolTLS.Options()
      let options = tls.securityProtocolOptions
      sec_protocol_options_set_min_tls_protocol_version(options, terms.minimumTLS.protocolVersion)
      if !terms.resumesTLS { sec_protocol_options_set_tls_resumption_enabled(options, false) }
      if let name = terms.applicationProtocol {
        sec_protocol_options_add_tls_application_protocol(options, name)
      }
      let (host, trust, identity) = (terms.host, trust, terms.identity)
      // Both answers are given once, whatever became of the connection. `nonisolated(unsafe)`: the system lets them be
      // given on any thread, and nothing else uses the server's chain until then.
      sec_protocol_options_set_verify_block(
        options,
        { _, server, complete in
          nonisolated(unsafe) let chain = sec_trust_copy_ref(server).takeRetainedValue()
          nonisolated(unsafe) let complete = complete
          Task.detached {
            let refusal = await trust.refusal(of: chain, host: host)
            queue.async {
              // Before the system tells that the handshake has failed.
              if let refusal { report(.refused(refusal)) }
              complete(refusal == nil)
            }
          }
        }, queue)
      sec_protocol_options_set_challenge_block(
        options,
        { _, complete in
          report(.askedForCertificate)
          guard let identity else { return complete(nil) }
          nonisolated(unsafe) let complete = complete
          Task.detached {
            do throws(APIError) {
              // It may be in a file or in the keychain.
              try await BlockingWork.run { () throws(APIError) in
                complete(try SystemIdentity.reference(identity))
              }
            } catch {
              queue.async {
                report(.refused(error))
                complete(nil)
              }
            }
          }
        }, queue)
      return tls
    }
  }

  extension NetworkServiceType {
    /// The system's value for it.
    fileprivate var serviceClass: NWParameters.ServiceClass {
      switch self {
      case .standard: .bestEffort
      case .background: .background
      case .responsiveData: .responsiveData
      case .video: .interactiveVideo
      case .voice: .interactiveVoice
      }
    }
  }
#endif
