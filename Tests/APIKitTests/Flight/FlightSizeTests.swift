#if canImport(Glibc)
  import APIKitTesting
  import Glibc
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// What a load holds on the heap.
  @MainActor final class FlightSizeTests: XCTestCase {
    /// glibc keeps freed blocks of up to 1,032 bytes for the thread that frees them; a larger one goes through the
    /// lock and the lists of its arena. Own CPU of a signed load rose by a quarter when a flight had grown beyond.
    func testAFlightAndItsCallFitTheAllocatorsListOfSmallBlocks() async throws {
      // Declared in <malloc.h>, which is not in the module of glibc.
      typealias UsableSize = @convention(c) (UnsafeMutableRawPointer) -> Int
      let symbol = try XCTUnwrap(dlsym(nil, "malloc_usable_size"))
      let usableSize = unsafeBitCast(symbol, to: UsableSize.self)
      let transport = HandTransport { _, _ in }
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: transport)
      let manager = TestManager(service)
      manager.sharedState = SharedState()
      manager.load()
      let flight = try XCTUnwrap(manager.flightStore.flights.first)
      for (name, object) in [("flight", flight as AnyObject), ("call", flight.call as AnyObject)] {
        let size = usableSize(Unmanaged.passUnretained(object).toOpaque())
        XCTAssertLessThanOrEqual(size, 1032, name)
        XCTAssertGreaterThan(size, 200, "\(name): a size was measured")
      }
      manager.cancel()
    }
  }
#endif
