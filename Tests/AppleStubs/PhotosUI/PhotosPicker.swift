// swift-format-ignore-file
// https://developer.apple.com/documentation/photosui/photospicker
public import CoreTransferable
public import SwiftUI

/// https://developer.apple.com/documentation/photosui/photospicker/init(_:selection:matching:preferreditemencoding:)-7jbef
@available(macOS 13, iOS 16, watchOS 9, *)
@available(tvOS, unavailable)
@MainActor @preconcurrency public struct PhotosPicker<Label: View>: View { public var body: Never { fatalError() } }
@available(macOS 13, iOS 16, watchOS 9, *)
@available(tvOS, unavailable)
extension PhotosPicker where Label == Text {
  nonisolated public init(
    _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
    preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic
  ) { fatalError() }
}
/// https://developer.apple.com/documentation/photosui/photospickeritem
@available(macOS 13, iOS 16, watchOS 9, *)
@available(tvOS, unavailable)
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
  public struct EncodingDisambiguationPolicy: Equatable, Hashable, Sendable { public static let automatic = EncodingDisambiguationPolicy() }
  public func loadTransferable<T: Transferable>(type: T.Type) async throws -> T? { fatalError() }
}
/// https://developer.apple.com/documentation/photosui/phpickerfilter-swift.struct
@available(macOS 13, iOS 14, watchOS 9, *)
@available(tvOS, unavailable)
public struct PHPickerFilter: Equatable, Hashable, Sendable { public static let images = PHPickerFilter() }
