// swift-format-ignore-file
// os/lock.h, https://developer.apple.com/documentation/os/os_unfair_lock

@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public struct os_unfair_lock { public init() {} }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public typealias os_unfair_lock_s = os_unfair_lock
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {}
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {}
