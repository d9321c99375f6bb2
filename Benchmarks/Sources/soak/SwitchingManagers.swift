import APIKit
import APIKitTransfers
import APIKitSockets

/// The endpoint of the loads whose user changes, with habits drawn at random.
final class SwitchedManager: BaseAPIManager, APIManager {
  let service: SoakService
  let apiName = "switched"
  let method: HTTPMethod
  let takeoffPolicy: TakeoffPolicy
  let joinsIdenticalFlights: Bool
  let cachePolicy: CachePolicy
  let retryPolicy: RetryPolicy
  let signIn: SignInRule

  init(_ service: SoakService, _ random: inout SoakRandom) {
    self.service = service
    method = [.get, .get, .get, .put, .post, .post, .patch, .delete].randomElement(using: &random)!
    takeoffPolicy = [.concurrent, .concurrent, .concurrent, .queue, .cancelPrevious].randomElement(
      using: &random)!
    joinsIdenticalFlights = random.chance(50)
    cachePolicy = [.none, .none, .http].randomElement(using: &random)!
    var retry = random.chance(70) ? RetryPolicy(attempts: 3, deadline: .seconds(1)) : .never
    retry.backoff = .constant(.milliseconds(5))
    retry.drawsOnBudget = false
    retry.hedgesSlowReads = random.chance(30)
    retryPolicy = retry
    signIn = random.chance(50) ? .required : .asAvailable
    super.init()
  }
}

/// The endpoint of the queued loads.
final class QueuedManager: BaseAPIManager, APIManager {
  let service: SoakService
  let apiName = "queued"
  let method = HTTPMethod.post
  let isQueued = true

  init(_ service: SoakService) {
    self.service = service
    super.init()
  }
}

/// A WebSocket of prices, opened again at once when it is lost.
final class SwitchedSocket: BaseSocketManager, SocketManager {
  let service: SoakService
  let apiName = "prices"
  let reconnection = ReconnectPolicy.quick

  init(_ service: SoakService) {
    self.service = service
    super.init()
  }
}

/// A stream of prices, opened again at once when it is lost.
final class SwitchedStream: BaseEventStreamManager, EventStreamManager {
  let service: SoakService
  let apiName = "events"
  let reconnection = ReconnectPolicy.quick
  // A limit is a sleep, which Swift keeps until its time even when it was cancelled: short, so that the heap stays flat.
  let openLimit = Duration.seconds(2)

  init(_ service: SoakService) {
    self.service = service
    super.init()
  }
}

extension ReconnectPolicy {
  fileprivate static var quick: Self {
    var policy = Self(attempts: 20)
    policy.backoff = .constant(.milliseconds(5))
    return policy
  }
}

/// The endpoint of the downloads.
final class SoakDownload: BaseDownloadManager, DownloadManager {
  let service: SoakService
  let apiName = "transfers/files/{bytes}"
  var retryPolicy: RetryPolicy { .patient }

  init(_ service: SoakService) {
    self.service = service
    super.init()
  }
}

/// The endpoint of the uploads.
final class SoakUpload: BaseUploadManager, UploadManager {
  let service: SoakService
  let apiName = "transfers/tus"
  let uploadProtocol: UploadProtocol
  var retryPolicy: RetryPolicy { .patient }

  init(_ service: SoakService, journals: String) {
    self.service = service
    var options = TusOptions()
    options.partBytes = 32 << 10
    options.journalFolder = journals
    uploadProtocol = .tus(options)
    super.init()
  }
}

extension RetryPolicy {
  /// For transfers over connections of which half are broken.
  fileprivate static var patient: Self {
    var policy = Self(attempts: 40, deadline: .seconds(30))
    policy.backoff = .constant(.milliseconds(5))
    policy.drawsOnBudget = false
    return policy
  }
}
