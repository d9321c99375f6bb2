// Linux has no delegates of tasks.
#if !canImport(FoundationNetworking)
  import Foundation
  import XCTest

  @testable import APIKit

  /// The conformance suite over a session of the application's.
  final class GivenSessionConformanceTests: TransportConformanceTests {
    override var quirks: Set<Quirk> { URLSessionConformanceTests.systemQuirks }

    override func makeTransport(_ configuration: TransportConfiguration) throws(APIError) -> any HTTPTransport
    {
      let session = URLSession(configuration: .ephemeral)
      addTeardownBlock { session.invalidateAndCancel() }
      return try URLSessionTransport(session: session, configuration: configuration)
    }
  }
#endif
