import APIKit
import APIKitSockets
import APIKitTransfers

/// One load of a URL that was typed.
final class CallManager: BaseAPIManager, APIManager {
  let service: CallService
  let apiName: String
  let method: HTTPMethod
  let headers: HTTPHeaders
  let parameterEncoding: ParameterEncoding
  let expectation: ResponseExpectation
  let loadOptions: LoadOptions
  private let content: HTTPBody?

  /// - Parameters:
  ///   - statuses: Those with which it succeeds.
  ///   - destination: Where the body of the response goes.
  init(
    _ service: CallService, _ arguments: CallArguments, statuses: Range<Int>,
    destination: HTTPExchange.Destination
  ) {
    self.service = service
    apiName = service.apiName
    method = arguments.method
    headers = arguments.headers
    parameterEncoding = arguments.isForm ? .form : .automatic
    // Not decoded: it is shown whatever it is.
    expectation = ResponseExpectation(statuses: statuses, format: .bytes)
    loadOptions = LoadOptions(destination: destination)
    content = arguments.content.body
  }

  func body(for parameters: Parameters) throws -> HTTPBody? { content }
}

/// A download from a URL that was typed.
final class CallDownload: BaseDownloadManager, DownloadManager {
  let service: CallService
  let apiName: String
  let headers: HTTPHeaders

  init(_ service: CallService, headers: HTTPHeaders) {
    self.service = service
    apiName = service.apiName
    self.headers = headers
  }
}

/// A WebSocket at a URL that was typed.
final class CallSocket: BaseSocketManager, SocketManager {
  let service: CallService
  let apiName: String
  let headers: HTTPHeaders
  let reconnection: ReconnectPolicy

  init(_ service: CallService, headers: HTTPHeaders, _ reconnection: ReconnectPolicy) {
    self.service = service
    apiName = service.apiName
    self.headers = headers
    self.reconnection = reconnection
  }
}

/// Server-sent events from a URL that was typed.
final class CallEvents: BaseEventStreamManager, EventStreamManager {
  let service: CallService
  let apiName: String
  let headers: HTTPHeaders
  let reconnection: ReconnectPolicy

  init(_ service: CallService, headers: HTTPHeaders, _ reconnection: ReconnectPolicy) {
    self.service = service
    apiName = service.apiName
    self.headers = headers
    self.reconnection = reconnection
  }
}
