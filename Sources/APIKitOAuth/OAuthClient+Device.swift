public import APIKit

/// The code and URL with which a user authorizes a device without a browser on another device (RFC 8628).
public struct DeviceAuthorization: Sendable {
  /// The code that the user enters.
  public let userCode: String
  /// The address where the user enters the code.
  public let verificationURI: String
  /// The same address with the code in it, for a QR code; nil when the server sends none.
  public let completeVerificationURI: String?
  /// When the code expires, in seconds since 1970.
  public let expiresAt: Double
  let deviceCode: String
  let interval: Duration
  /// When the code expires on the steady clock, which is not affected by changes of the time of day.
  let end: Duration
}

extension DeviceAuthorization: Redacted {
  /// The address where the user enters the code, without the codes.
  public var description: String { "device authorization at \(verificationURI.prefix { $0 != "?" })" }
}

extension OAuthClient {
  /// Begins an authorization that the user completes on another device.
  ///
  /// A code without a stated lifetime expires after 10 minutes. Throws `APIError.Reason.misconfigured`
  /// when the configuration has no device endpoint.
  public func deviceAuthorization() async throws(APIError) -> DeviceAuthorization {
    guard let endpoint = configuration.deviceEndpoint else {
      throw APIError(.auth, .misconfigured, "the OAuth configuration has no device endpoint")
    }
    let response = try await post(withScope([:]), to: endpoint)
    let read = OAuthResponse(response, endpoint)
    guard response.status == 200, let raw = read.raw, let deviceCode = raw.device_code.string,
      let userCode = raw.user_code.string,
      let uri = raw.verification_uri.string ?? raw.verification_url.string
    else { throw read.error }
    let lifetime = raw.expires_in.lifetime ?? 600
    return DeviceAuthorization(
      userCode: userCode, verificationURI: uri,
      completeVerificationURI: raw.verification_uri_complete.string,
      expiresAt: time.wallClock + lifetime, deviceCode: deviceCode,
      interval: .seconds(raw.interval.lifetime.map { max(1, $0) } ?? 5), end: time.now + .seconds(lifetime))
  }

  /// Polls the server until the user has completed the authorization.
  ///
  /// Waits between two requests for as long as the server asks, by default 5 seconds, and longer while it cannot be
  /// reached or has failed. Throws
  /// `APIError.Reason.deviceCodeExpired` when the code has expired, `APIError.Reason.accessDenied` when
  /// the user refused, and `APIError.Reason.cancelled` when the task was cancelled.
  public func credential(for device: DeviceAuthorization) async throws(APIError) -> Credential {
    var polling = DevicePolling(interval: device.interval, end: device.end)
    while let wait = polling.wait(now: time.now) {
      do { try await time.sleep(for: wait) } catch { throw APIError(.auth, .cancelled) }
      do throws(APIError) {
        return try await token([
          "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
          "device_code": device.deviceCode,
        ])
      } catch {
        guard polling.goesOn(after: error.reason, status: error.context.status) else { throw error }
      }
    }
    throw APIError(.auth, .deviceCodeExpired)
  }
}
