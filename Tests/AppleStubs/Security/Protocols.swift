// swift-format-ignore-file
// Security/SecProtocolOptions.h, SecProtocolObject.h and SecProtocolTypes.h, https://developer.apple.com/documentation/network/security-options
public import Dispatch

/// https://developer.apple.com/documentation/security/sec_protocol_options_t
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public typealias sec_protocol_options_t = any OS_sec_protocol_options
public protocol OS_sec_protocol_options: AnyObject {}
/// https://developer.apple.com/documentation/security/sec_protocol_metadata_t
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public typealias sec_protocol_metadata_t = any OS_sec_protocol_metadata
public protocol OS_sec_protocol_metadata: AnyObject {}
/// https://developer.apple.com/documentation/security/sec_trust_t
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public typealias sec_trust_t = any OS_sec_trust
public protocol OS_sec_trust: AnyObject {}
/// https://developer.apple.com/documentation/security/sec_identity_t
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public typealias sec_identity_t = any OS_sec_identity
public protocol OS_sec_identity: AnyObject {}

/// https://developer.apple.com/documentation/security/sec_protocol_verify_t
public typealias sec_protocol_verify_t = (sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t) -> Void
public typealias sec_protocol_verify_complete_t = (Bool) -> Void
/// https://developer.apple.com/documentation/security/sec_protocol_challenge_t
public typealias sec_protocol_challenge_t = (sec_protocol_metadata_t, @escaping sec_protocol_challenge_complete_t) -> Void
public typealias sec_protocol_challenge_complete_t = (sec_identity_t?) -> Void

/// https://developer.apple.com/documentation/security/sec_protocol_options_set_min_tls_protocol_version(_:_:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public func sec_protocol_options_set_min_tls_protocol_version(_ options: sec_protocol_options_t, _ version: tls_protocol_version_t) { fatalError() }
/// https://developer.apple.com/documentation/security/sec_protocol_options_set_tls_resumption_enabled(_:_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_protocol_options_set_tls_resumption_enabled(_ options: sec_protocol_options_t, _ resumption_enabled: Bool) { fatalError() }
/// https://developer.apple.com/documentation/security/sec_protocol_options_add_tls_application_protocol(_:_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_protocol_options_add_tls_application_protocol(_ options: sec_protocol_options_t, _ application_protocol: UnsafePointer<CChar>) { fatalError() }
/// https://developer.apple.com/documentation/security/sec_protocol_options_set_verify_block(_:_:_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_protocol_options_set_verify_block(_ options: sec_protocol_options_t, _ verify_block: @escaping sec_protocol_verify_t, _ verify_block_queue: DispatchQueue) { fatalError() }
/// https://developer.apple.com/documentation/security/sec_protocol_options_set_challenge_block(_:_:_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_protocol_options_set_challenge_block(_ options: sec_protocol_options_t, _ challenge_block: @escaping sec_protocol_challenge_t, _ challenge_queue: DispatchQueue) { fatalError() }
/// https://developer.apple.com/documentation/security/sec_trust_copy_ref(_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_trust_copy_ref(_ trust: sec_trust_t) -> Unmanaged<SecTrust> { fatalError() }
/// https://developer.apple.com/documentation/security/sec_identity_create(_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public func sec_identity_create(_ identity: SecIdentity) -> sec_identity_t? { fatalError() }
/// https://developer.apple.com/documentation/security/sec_identity_create_with_certificates(_:_:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public func sec_identity_create_with_certificates(_ identity: SecIdentity, _ certificates: CFArray) -> sec_identity_t? { fatalError() }
