// swift-format-ignore-file
// https://developer.apple.com/documentation/coretransferable/transferable
public import Foundation

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public protocol Transferable {}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension Data: Transferable {}
