// swift-format-ignore-file
// CoreFoundation/CFString.h and CFStringEncodingExt.h, https://developer.apple.com/documentation/corefoundation/cfstring
public typealias CFStringEncoding = UInt32
public let kCFStringEncodingInvalidId: CFStringEncoding = 0
public func CFStringConvertIANACharSetNameToEncoding(_ theString: CFString!) -> CFStringEncoding { fatalError() }
public func CFStringConvertEncodingToNSStringEncoding(_ encoding: CFStringEncoding) -> UInt { fatalError() }
