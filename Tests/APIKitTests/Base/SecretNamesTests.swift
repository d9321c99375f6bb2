import XCTest

@testable import APIKit

/// Which names are secret, for whatever prints.
final class SecretNamesTests: XCTestCase {
  func testEachNameOfTheTableIsJudgedAsItSays() {
    // Two kinds of 150 names: what services use for secrets, and what looks like it.
    let secret = """
      Authorization proxy-authorization X-Authorization Cookie Set-Cookie cookies X-Api-Key apiKey APIKey api.key \
      API_KEY apikey ApiKey2 access_token accessToken refreshToken id_token csrfToken X-CSRF-Token tokens \
      client_secret clientSecret client_assertion code_verifier device_code user_code password Passwd newPassword \
      passwort passphrase passcode pwd pass pin PIN user_pin pinCode otp totp otp_code smsCode mfa code key KEY \
      sign x-sign session session_id X-Session PHPSESSION JSESSIONID sid ticket captcha cvv cvc user[pin] \
      login.password ns:Password card[cvc] X-Amz-Signature X-Amz-Credential X-Amz-Security-Token SAMLResponse jwt \
      PHPSESSID sessid Ocp-Apim-Subscription-Key X-Functions-Key X-Auth-Key X-Auth-Email X-Auth DPoP auth_key api_sig sig hmac \
      X-Hub-Signature-256 X-Hmac encryptionKey x-goog-api-key Signature credential credentials auth \
      keys api_keys pins csrf XSRF X-CSRF oauth_verifier login_ticket \
      subscription.key master-key bearer Secret privateKey X-Forwarded-Authorization Set-Authorization
      """.replacing("PHPSESSION", with: "PHP-SESSION").split(whereSeparator: \.isWhitespace).map(String.init)
    let open = """
      city page author authority oauth oauth_version pinned shopping hotpink compass country_code postalCode \
      signed_in_at X-Amz-SignedHeaders keyboard keyword monkey turkey Content-Type Idempotency-Key \
      X-Idempotency-Key X-Key-ID key_id keyId key.id partition-key partitionKey primary_key foreignKey sort-key \
      cache_key X-Cache-Key surrogate-key public_key publicKeys primary_keys keyboards opinions grant_type \
      redirect_uri passengers description user \
      Sec-Fetch-Site Sec-WebSocket-Key [ .. état token_type token_endpoint token_endpoint_auth_methods_supported \
      issued_token_type revocation_endpoint X-Timestamp timestamp X-Nonce nonce oauth_nonce auth_timestamp \
      max_tokens Access-Control-Allow-Credentials signal design sigma cookieless professional authorization_endpoint authorized
      """.split(whereSeparator: \.isWhitespace).map(String.init)
    XCTAssertGreaterThanOrEqual(Set(secret + open).count, 150)
    XCTAssertEqual(secret.filter { !SecretNames.contains($0) }, [])
    XCTAssertEqual((open + [""]).filter { SecretNames.contains($0) }, [])
  }

  func testTimestampsAndNoncesOfASignerAreNoSecrets() {
    SecretNames.add(fields: ["X-Sealed-Timestamp", "X-Sealed-Nonce", "X-Key-ID", "X-Seal-Of-Office"])
    XCTAssertEqual(
      ["X-Sealed-Timestamp", "X-Sealed-Nonce", "X-Key-ID"].filter { SecretNames.contains($0) }, [])
    XCTAssertTrue(SecretNames.contains("X-Seal-Of-Office"))
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
