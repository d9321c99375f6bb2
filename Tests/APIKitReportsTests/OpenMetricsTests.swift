import XCTest

@testable import APIKit
@testable import TestSupport
@testable import APIKitReports

final class OpenMetricsTests: XCTestCase {
  func testCountersAndHistogramsAreWrittenInSecondsAndEnd() {
    let statistics = FlightStatistics()
    statistics.add(.make(duration: .milliseconds(1)))
    statistics.add(.make(duration: .milliseconds(30)))
    statistics.add(.make(outcome: .failed, duration: .seconds(200)))
    statistics.add(.make(outcome: .cancelled, duration: .seconds(1)))
    let lines = statistics.report.openMetrics.split(separator: "\n").map(String.init)
    let api = #"service="Homes",method="GET",api="list""#
    for line in [
      "# TYPE apikit_loads counter", "apikit_loads_total{\(api),outcome=\"succeeded\"} 2",
      "apikit_loads_total{\(api),outcome=\"failed\"} 1", "apikit_loads_total{\(api),outcome=\"cancelled\"} 1",
      "apikit_failures_total{\(api),reason=\"transport.idle-timeout\"} 1",
      "# TYPE apikit_load_duration_seconds histogram", "# UNIT apikit_load_duration_seconds seconds",
      "apikit_load_duration_seconds_bucket{\(api),le=\"0.001\"} 1",
      "apikit_load_duration_seconds_bucket{\(api),le=\"0.02\"} 1",
      "apikit_load_duration_seconds_bucket{\(api),le=\"0.05\"} 2",
      "apikit_load_duration_seconds_bucket{\(api),le=\"100.0\"} 2",
      "apikit_load_duration_seconds_bucket{\(api),le=\"+Inf\"} 3",
      "apikit_load_duration_seconds_count{\(api)} 3",
      "apikit_load_duration_seconds_sum{\(api)} 200.031",
    ] {
      XCTAssertTrue(lines.contains(line), line)
    }
    XCTAssertEqual(lines.last, "# EOF")
    XCTAssertEqual(lines.count { $0 == "# EOF" }, 1)
    XCTAssertEqual(lines.count { $0.contains("_bucket") }, 17)
  }

  func testTheCountsOfWhatIsNoLongerKeptStay() {
    let statistics = FlightStatistics(capacity: 1)
    for _ in 0..<5 { statistics.add(.make()) }
    XCTAssertTrue(statistics.report.openMetrics.contains("outcome=\"succeeded\"} 5\n"))
  }

  func testANameWithQuotesAndLineEndsStaysOneLabel() {
    let statistics = FlightStatistics()
    statistics.add(.make(name: "a\"b\\c\nd\r\ne"))
    let text = statistics.report.openMetrics
    XCTAssertTrue(text.contains("api=\"a\\\"b\\\\c\\nd\r\\ne\""), text)
  }
}
