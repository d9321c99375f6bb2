// swift-format-ignore-file
// https://developer.apple.com/documentation/os/os_unfair_lock and the header os/lock.h.

public struct os_unfair_lock { public init() {} }
public typealias os_unfair_lock_s = os_unfair_lock
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {}
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {}
