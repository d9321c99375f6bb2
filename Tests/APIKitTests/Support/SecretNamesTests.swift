import XCTest

@testable import APIKit

/// Which names are secret, for whatever prints.
final class SecretNamesTests: XCTestCase {
  func testTheUsualNamesAreSecretHoweverTheyAreWritten() {
    let secret = [
      "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "apiKey", "access_token",
      "refreshToken", "client_secret", "client_assertion", "code_verifier", "device_code", "password",
      "Passwd",
      "newPassword", "pwd", "pass", "pin", "PIN", "user_pin", "pinCode", "otp", "totp", "otp_code", "smsCode",
      "code",
      "key", "sign", "session", "session_id", "sid", "ticket", "captcha", "cvv", "user[pin]",
      "login.password",
      "ns:Password", "card[cvc]", "X-Amz-Signature", "SAMLResponse", "jwt",
    ]
    XCTAssertEqual(secret.filter { !SecretNames.contains($0) }, [])
  }

  func testOtherNamesAreNot() {
    let open = [
      "", "city", "page", "author", "pinned", "shopping", "hotpink", "compass", "country_code", "postalCode",
      "signed_in_at", "keyboard", "Content-Type", "Idempotency-Key", "grant_type", "redirect_uri",
      "passengers",
      "description", "user", "Sec-Fetch-Site", "[", "..", "état", "token_type", "token_endpoint",
      "token_endpoint_auth_methods_supported", "issued_token_type", "revocation_endpoint",
    ]
    XCTAssertEqual(open.filter { SecretNames.contains($0) }, [])
  }

  func testASignedFieldThatEveryMessageHasIsNoSecret() {
    SecretNames.add(fields: ["Date", "Content-Type", "X-Rune-Of-The-House"])
    XCTAssertEqual(["Date", "Content-Type"].filter { SecretNames.contains($0) }, [])
    XCTAssertTrue(SecretNames.contains("x-rune-of-the-house"))
  }

  func testAnApplicationsNamesAreSecretEverywhere() {
    let request = HTTPRequest(
      method: .post, url: "https://a/?house-rune=S3CRET",
      headers: ["House-Rune": "S3CRET", "Content-Type": "application/json"],
      body: .bytes(Array(#"{"houseRune": "S3CRET"}"#.utf8)))
    XCTAssertTrue(request.curlCommand().contains("S3CRET"))
    SecretNames.add("house_rune")
    XCTAssertFalse(request.curlCommand().contains("S3CRET"), request.curlCommand())
    XCTAssertFalse("\(request.headers)".contains("S3CRET"))
    XCTAssertFalse("\(["House-Rune": "S3CRET"] as Parameters)".contains("S3CRET"))
  }
}
