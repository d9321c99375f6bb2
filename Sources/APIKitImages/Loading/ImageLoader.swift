public import APIKit

#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit
#endif

/// Loads images for views, decodes them in the size of the view off the main actor, and keeps the pictures in memory.
///
/// ``shared`` loads images anywhere by their URLs. An application makes another one over a manager, for images that need
/// the sign-in, the pins or the cache of its service:
///
/// ```swift
/// let photos = ImageLoader(over: PhotoManager())
/// let photo = try await photos.image(for: ["id": 7], size: ImageHead.Size(width: 640, height: 480))
/// ```
/// A load of an image takes the path of all loads, with the policies of manager and service; `APIManager.cachePolicy`
/// decides about the response cache. Concurrent requests for one image share one load, and those for one size share
/// one decoding. Pictures in memory belong to the signed-in user, as stored responses do. They do not expire, and the
/// server is not asked again while they are kept. A response with `no-store` and the service's fallback are shown and not kept.
///
/// ImageIO decodes, so pictures are made on Apple systems; elsewhere every image fails with
/// `APIError.Reason.unsupportedCapability` once it is loaded. The pictures are dropped at a memory warning (iOS,
/// tvOS, visionOS).
@MainActor public final class ImageLoader {
  /// Loads images by absolute URLs over `HTTPClient.shared`, and keeps responses in `ResponseCache.shared` by the rules of
  /// HTTP.
  public static let shared = ImageLoader()

  /// The default bound of the memory: 16 MiB on watchOS, 32 MiB on tvOS, 96 MiB elsewhere.
  nonisolated public static var defaultMaximumBytes: Int { DeviceKind.present.pictureBytes }

  let pipeline: PicturePipeline<ImageThumbnail>
  #if canImport(UIKit) && !os(watchOS)
    /// Written in `init` alone.
    nonisolated(unsafe) private var warning: (any NSObjectProtocol)?
  #endif

  /// Makes a loader of images anywhere, by absolute URLs. They are loaded without a sign-in or a signature.
  ///
  /// - Parameters:
  ///   - wire: The client and timeouts of the requests.
  ///   - cache: The cache that stores responses, by the rules of HTTP; in memory by default.
  ///   - maximumBytes: The largest size of all decoded pictures together in bytes, each width ×
  ///     height × 4.
  public convenience init(
    wire: WireOptions = WireOptions(), cache: CacheOptions = CacheOptions(),
    maximumBytes: Int = ImageLoader.defaultMaximumBytes
  ) {
    let manager = AbsoluteImageManager(AbsoluteImages(wire: wire, cache: cache))
    self.init(maximumBytes: maximumBytes) { (address) throws(APIError) in
      switch address {
      case .url(let url): manager.imageLoad(["url": url.string])
      case .parameters:
        throw APIError(
          .parameters, .misconfigured,
          "an image is named by parameters to an ImageLoader over a manager alone")
      }
    }
  }

  /// Makes a loader over the manager of one endpoint, which it keeps.
  ///
  /// Images are named by the manager's parameters, or by URLs of its service's origin, which replace its endpoint. The
  /// manager loads many images at once, so its takeoff policy must be `TakeoffPolicy.concurrent`. The key of a picture
  /// is the parameters as given, before the manager reforms them.
  ///
  /// - Parameters:
  ///   - manager: Makes the loads.
  ///   - maximumBytes: The largest size of all decoded pictures together in bytes, each width ×
  ///     height × 4.
  public convenience init(over manager: some APIManager, maximumBytes: Int = ImageLoader.defaultMaximumBytes)
  {
    self.init(maximumBytes: maximumBytes) { (address) throws(APIError) in
      switch address {
      case .url(let url): try manager.imageLoad(at: url)
      case .parameters(let parameters): manager.imageLoad(parameters)
      }
    }
  }

  private init(
    maximumBytes: Int, load: @escaping @MainActor (ImageAddress) throws(APIError) -> ImageLoad
  ) {
    pipeline = PicturePipeline(maximumBytes: maximumBytes, decoding: .thumbnails, load: load)
    #if canImport(UIKit) && !os(watchOS)
      warning = NotificationCenter.default.addObserver(
        forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: .main
      ) { [weak pipeline = self.pipeline] _ in
        MainActor.assumeIsolated { pipeline?.removeAll() }
      }
    #endif
  }

  #if canImport(UIKit) && !os(watchOS)
    deinit { if let warning { NotificationCenter.default.removeObserver(warning) } }
  #endif

  /// The image at a URL, decoded for a size in pixels; from memory, or loaded. Cancelling the task cancels the
  /// load.
  ///
  /// Use it for your own views, and to load images in advance: a view of the same size then shows the
  /// image at once.
  /// - Parameters:
  ///   - url: The URL of the image.
  ///   - size: The size of the view in pixels; it is rounded up to a multiple of 32.
  ///   - fills: Whether the image covers the size (the default) or fits into it.
  /// - Throws: The error of the load, or what `ImageThumbnail` throws.
  public func image(
    at url: HTTPURL, size: ImageHead.Size, fills: Bool = true
  ) async throws(APIError) -> ImageThumbnail {
    try await image(.url(url), size: size, fills: fills)
  }

  /// The image that the manager loads with these parameters; see ``image(at:size:fills:)``.
  public func image(
    for parameters: Parameters, size: ImageHead.Size, fills: Bool = true
  ) async throws(APIError) -> ImageThumbnail {
    try await image(.parameters(parameters), size: size, fills: fills)
  }

  /// Drops the pictures in memory. Views keep their pictures, and the response cache its responses.
  public func removeAll() { pipeline.removeAll() }

  /// What a picture costs in memory.
  nonisolated static func bytes(of size: ImageHead.Size) -> Int { size.width * size.height * 4 }

  private func image(
    _ address: ImageAddress, size: ImageHead.Size, fills: Bool
  ) async throws(APIError) -> ImageThumbnail {
    guard let target = ImageTarget(width: Double(size.width), height: Double(size.height), fills: fills)
    else {
      throw APIError(.parameters, .misconfigured, "an image has a size of at least 1 × 1, not \(size)")
    }
    return try await pipeline.picture(address, target)
  }
}

extension PicturePipeline.Decoding where Picture == ImageThumbnail {
  /// By ImageIO, in the size of the view.
  static var thumbnails: Self {
    Self(
      picture: { (bytes, target) async throws(APIError) in
        try await ImageThumbnail(of: bytes, longestSide: target.longestSide(of: ImageHead(of: bytes)))
      },
      cost: { ImageLoader.bytes(of: $0.size) })
  }
}
