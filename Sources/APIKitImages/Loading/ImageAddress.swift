import APIKit

/// Which image a view wants of its loader.
enum ImageAddress: Hashable, Sendable {
  /// The one at a URL.
  case url(HTTPURL)
  /// The one that the loader's manager loads with these parameters.
  case parameters(Parameters)
}

/// One load of an image, before it takes off.
struct ImageLoad: Sendable {
  /// What is loaded, and for whose eyes.
  struct Identity: Hashable, Sendable {
    /// The key under which the response cache has the response.
    let key: CacheKey
    let user: LoadUser
  }

  /// The bytes of an image.
  struct Arrival: Sendable {
    let bytes: [UInt8]
    /// Whether a picture made of them may be kept: not where the server says `no-store`, and not the service's fallback.
    let mayBeKept: Bool
  }

  /// Nil where it is not known whose the image is: then nothing is shared and nothing is kept.
  let identity: Identity?
  /// Loads it.
  let arrival: @MainActor @Sendable (CacheUse) async -> Result<Arrival, APIError>
  /// Why what has arrived may not be shown any more; nil while its user is the present one.
  let objection: @MainActor @Sendable () -> APIError?
}

extension APIManager {
  /// The load of an image with parameters.
  func imageLoad(_ parameters: Parameters) -> ImageLoad { imageLoad(parameters, path: nil, options: .none) }

  /// The load of the image that a server of the manager's service has named by a URL, whose query is sent as it is.
  ///
  /// - Throws: `APIError.Reason.misconfigured` for another origin: the load carries what authenticates at the service's.
  func imageLoad(at url: HTTPURL) throws(APIError) -> ImageLoad {
    guard let base = service.environments.selection().baseURL, base.origin == url.origin else {
      throw APIError(
        .assembly, .misconfigured,
        "the image is at \(url.origin), which is not the origin of \(service.name); images of other origins are loaded by "
          + "ImageLoader.shared, or by an ImageLoader of their own")
    }
    var options = LoadOptions.none
    options.location = url
    return imageLoad(["url": url.string], path: url.path, options: options)
  }

  private func imageLoad(_ parameters: Parameters, path: String?, options: LoadOptions) -> ImageLoad {
    let user = presentUser
    let key = storedKey(for: parameters, path: path)
    return ImageLoad(
      identity: key.map { ImageLoad.Identity(key: $0, user: user) },
      arrival: { cache in
        do throws(APIError) {
          let response = try await self.response(
            given: parameters, path: path, cache: cache, options: options)
          let rule = response.headers.combined("Cache-Control")?.lowercased() ?? ""
          // The load after a fallback may bring the image.
          let mayBeKept = response.provenance != .fallback && !rule.contains("no-store")
          return .success(ImageLoad.Arrival(bytes: response.bytes, mayBeKept: mayBeKept))
        } catch {
          return .failure(error)
        }
      },
      objection: {
        UserCheck(self.service.identity, self.service.wire, signIn: self.signIn, host: nil).objection(
          to: user)
      })
  }
}
