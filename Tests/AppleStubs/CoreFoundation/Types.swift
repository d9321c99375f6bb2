// swift-format-ignore-file
// CoreFoundation/CFBase.h and the headers of the types, https://developer.apple.com/documentation/corefoundation
//
// Apple's compiler bridges these types to Swift's with `as`. Here they are Swift's, so that the same `as` compiles.
public import FoundationEssentials

public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFDate = Date
public typealias CFArray = [Any]
public typealias CFDictionary = [String: Any]
public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias OSStatus = Int32
public final class CFAllocator {}
/// https://developer.apple.com/documentation/corefoundation/cfgettypeid(_:)
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { fatalError() }
/// https://developer.apple.com/documentation/corefoundation/cferror
public final class CFError: Error, @unchecked Sendable {}
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { fatalError() }
public func CFErrorGetDomain(_ err: CFError!) -> CFString! { fatalError() }
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { fatalError() }
