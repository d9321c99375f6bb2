import XCTest

@testable import APIKit

final class HTTPDateTests: XCTestCase {
  func testTheThreeFormsOfOneTimeAreRead() {
    for text in [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ] {
      XCTAssertEqual(HTTPDate.secondsSince1970(text, now: 1_767_225_600), 784_111_777, text)
    }
  }

  func testWhatIsNoDateIsNotRead() {
    for text in [
      "", "0", "-1", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nix 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "1994-11-06T08:49:37Z", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 1994 8:4:3 GMT",
    ] {
      XCTAssertNil(HTTPDate.secondsSince1970(text), text)
    }
  }

  func testFormsBetweenTheThreeAreRefused() {
    for text in [
      "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
      "Thursday, 18 Aug 2050 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu,18 Aug 2050 02:01:18 GMT",
      "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050  02:01:18 GMT",
      "Thu, 18 Aug 2050 02:01:18  GMT", "Thu, 18 Aug 2050 02:01:18 GMT ", " Thu, 18 Aug 2050 02:01:18 GMT",
      "Thu, 18 Aug 2050 02:01:18 GMT+1", "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, 18 August 2050 02:01:18 GMT",
      "Thu, Aug 18 2050 02:01:18 GMT", "Thu Aug 18 02:01:18 50", "Thu Aug 8 02:01:18 2050",
      "Thu Aug 18 02:01:18 2050 GMT", "Thu Aug 18 02:01:18 GMT 2050", "Thursday Aug 18 02:01:18 2050",
      "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:01 GMT", "Thu, 18 Aug 2050 02-01-18 GMT",
      "Thu, 31 Feb 2050 02:01:18 GMT", "Thu, 29 Feb 2050 02:01:18 GMT",
    ] {
      XCTAssertNil(HTTPDate.secondsSince1970(text), text)
    }
    for text in [
      "Thu, 18 Aug 2050 02:01:18 GMT", "THU, 18 AUG 2050 02:01:18 gmt", "Thu Aug 18 02:01:18 2050",
      "Thursday, 18-Aug-50 02:01:18 GMT",
    ] {
      XCTAssertEqual(HTTPDate.secondsSince1970(text, now: 1_767_225_600), 2_544_400_878, text)
    }
  }

  func testAYearOfTwoDigitsIsNeverMoreThanFiftyYearsAhead() {
    let start2026 = 1_767_225_600.0
    XCTAssertEqual(HTTPDate.secondsSince1970("Friday, 01-Jan-27 00:00:00 GMT", now: start2026), 1_798_761_600)
    XCTAssertEqual(HTTPDate.secondsSince1970("Saturday, 01-Jan-77 00:00:00 GMT", now: start2026), 220_924_800)
  }

  func testWhatIsWrittenIsReadBack() {
    for seconds in [0, 784_111_777, 951_782_400, 1_767_225_600, 4_102_444_799] as [Double] {
      let text = HTTPDate.text(secondsSince1970: seconds)
      XCTAssertEqual(HTTPDate.secondsSince1970(text), seconds, text)
    }
    XCTAssertEqual(HTTPDate.text(secondsSince1970: 784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT")
    XCTAssertEqual(HTTPDate.text(secondsSince1970: -1), "Wed, 31 Dec 1969 23:59:59 GMT")
  }
}
