// swift-format-ignore-file
// XCTest/XCTestCase.h, https://developer.apple.com/documentation/xctest/xctestcase
@_exported public import Foundation

/// https://developer.apple.com/documentation/xctest/xctest
open class XCTest: NSObject {
  open func setUp() async throws { fatalError() }
  open func setUp() { fatalError() }
  open func setUpWithError() throws { fatalError() }
  open func tearDown() async throws { fatalError() }
  open func tearDown() { fatalError() }
  open func tearDownWithError() throws { fatalError() }
  open var name: String { fatalError() }
}
/// https://developer.apple.com/documentation/xctest/xctestrun
open class XCTestRun: NSObject {
  open var failureCount: Int { fatalError() }
}
open class XCTestCase: XCTest {
  open var testRun: XCTestRun? { fatalError() }
  open class func setUp() { fatalError() }
  open class func tearDown() { fatalError() }
  open var continueAfterFailure: Bool { get { fatalError() } set { fatalError() } }
  public func addTeardownBlock(_ block: @escaping @Sendable () async throws -> Void) { fatalError() }
  public func fulfillment(
    of expectations: [XCTestExpectation], timeout seconds: TimeInterval = .infinity, enforceOrder enforceOrderOfFulfillment: Bool = false
  ) async { fatalError() }
  @available(*, noasync) public func wait(for expectations: [XCTestExpectation], timeout seconds: TimeInterval) { fatalError() }
  public func expectation(description: String) -> XCTestExpectation { fatalError() }
}
/// https://developer.apple.com/documentation/xctest/xctestexpectation
open class XCTestExpectation: NSObject, @unchecked Sendable {
  public init(description: String) { fatalError() }
  open func fulfill() { fatalError() }
  open var isInverted: Bool { get { fatalError() } set { fatalError() } }
  open var expectedFulfillmentCount: Int { get { fatalError() } set { fatalError() } }
  open var assertForOverFulfill: Bool { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/xctest/xctskip-swift.struct
public struct XCTSkip: Error {
  public let message: String?
  public init(_ message: @autoclosure () -> String? = nil, file: StaticString = #filePath, line: UInt = #line) { fatalError() }
}
