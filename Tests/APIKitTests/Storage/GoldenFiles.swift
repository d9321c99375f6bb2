import Foundation

@testable import APIKit

/// A file as some version of the framework wrote it.
struct GoldenFile {
  let kind: Envelope.EnvelopeKind
  let version: UInt8
  /// The name of the file, which its content may be bound to.
  let name: String
  /// What is authenticated with the content.
  let place: [UInt8]
  let bytes: [UInt8]

  private init(
    _ kind: Envelope.EnvelopeKind, _ version: UInt8, _ name: String, at place: String = "", _ base64: String
  ) {
    self.kind = kind
    self.version = version
    self.name = name
    self.place = Array(place.utf8)
    bytes = Data(base64Encoded: base64).map { Array($0) } ?? []
  }

  static let all: [GoldenFile] = [
    GoldenFile(
      .cookies, 1, "cookies", at: "cookies",
      "QVBJSwEBjyT7WxRmoF3wjOYrOLAwolvee23JJMpaPLWc4GM84eg2u8mMFQW8XgegxaAUBKzS09dn6WMtBydYev5RFTaT"
        + "zRzk4XS2z/Fazos5pwj5iwt10mDDW0XtpJau33uWNJX7c1xH422Ul3v203OZgT92fTWx5PHIA3dbPoqpy2yYSzStPHJS"
        + "50FZCVlikOv9Ytw/PzjKs27OzT2B+7S3XOuuE1UTJeERkuEVr+GU0w+fPg=="),
    GoldenFile(
      .credential, 1, "49915e0d7d4b402e3017d010bc1c0e83cac6c797d6c16e66340fe3268693a6a1.credential",
      at: "ann",
      "QVBJSwIBjyT7WxRmoF3/JwiNvhqUWeymIyDZ1hRVyoOZKDohH9sHOwWOafIdLnPG6HWYC+zwAtqIe6KY0Py2UdJgXaCw"
        + "+tdaAS4cZuEilSYXyS8hZt2MIWLGAimzrEj5+PqvB0cKGR2FF+CNjpFdfV46tAmfJNdmp7FPlEat7zpclueD+fxrwKB0"
        + "u+TkZRedS4qJxn0/Amwme0PykvtGv3eT1zO4nqdCg1VN9doOUSEbiw8bldEVSVtSuXH+MA=="),
    GoldenFile(
      .cachedResponse, 1, "cachedResponse",
      "QVBJSwMBjyT7WxRmoF2w9NwEMLAirpgq0qqk4Lb8kH3BqsGCmka5fLKOdmllAYJhUvmm73PLrTq7KciAztmNh5y9a7zh"
        + "TRWSXXeN7y8ObZyd59kuaCsGuh+7aH0lEdoSlGuNhKJptQZfWMTGUpa48sWlFjLwW8UG6MiLiZhmaTFyB1D3w8S3ifbu"
        + "P+yspBeyHHVO0bOqwTqfcmcwZTjpSP/sgynzkfaoLqHo4bVfd3C0/dVWOr9TmrYPzPGG+UtbqOFHv5Fxk0ofnCZ9EiqX"
        + "FID4cpTqBR4wqojs+GO2QCVmsNuj4N3C0LiVpq96lcgx/B6I5v82CZbufSgW3hr4fkutzcYbNBSdk67z17XwUvYmFKvt"
        + "60aEbr8XjONPUWynu3C2Vk9ru+z/e7qXn8QIGwnRMmkSSgOxGKoDJzTfiTrvm5CfjUkbRvRiEUwUT8k0oFb0AJINUDiJ"
        + "Q1rXwsDzWQeAhD4b7MeOKOQB9J4zhSntIvBoLIrhRsmFu3LKItQOBJy7w05WtGmHcud9sAoO22jYpB1FOoBbWMacGWBb"
        + "v1JEC9upUwXtq2oBHPlLKvsMZ35NRFLrIixlcwvHMZd/Z9Ksdn0kLvPa+6z5xw=="),
    GoldenFile(
      .cachedBody, 1, "cachedBody",
      "QVBJSwQBjyT7WxRmoF3rSLtp/ct7uWihNuSgjvoD9Dz/hTo5E7VlxD6K+qwI/eUg0wJEy5Iq8KvDFjBuu7n6gtx+EYC2"
        + "7T2RCwhT/3SpvGf6F+93JilVBfEcoxs="),
    GoldenFile(
      .login, 1, "ab74fe01a719d40823c851128a32bdc6eae5cfeaca00d5156f313b7d609d9b50.login",
      at: "https://a.test:443 (homes)",
      "QVBJSwUBjyT7WxRmoF1X6P1p85iWqU2Y/v6XzALd2LDlTKENNJAHxObaJmPutI/+dCNnJrOX+vu5C4pbJEBwY6tlvcWR"
        + "n6vz+ATzMNKGXxaQDD4Gt0WEdJ+t4bEjdbQ="),
    GoldenFile(
      .hosts, 1, "52dcf5eeb77a59de2eb7221158d2316a1fce8c55c61ee02f63f378d048feed6c.hosts", at: "a.test",
      "QVBJSxABjyT7WxRmoF09DVO2c42zMZ0vXWpxDjqilx+j6EDIthAgLfWmw/FQJKwpCqjk4lYjatbxaOuy6X8wj3FCh4YC"
        + "srm0zI2/ud8p00zzNTIid1JWR9U/4PeoZsk="),
    GoldenFile(
      .queuedItem, 1, "queuedItem",
      "QVBJSwYBAAAAAAAAAAADAAAAAAAAAGstMQUAAAAAAAAASG9tZXMHAAAAAAAAAHJlbGVhc2UEAAAAAAAAAGxpc3QEAAAA"
        + "AAAAAFBPU1QDAAAAAAAAAAQAAAAAAAAAYmVkcwIDAAAAAAAAAAQAAAAAAAAAdGFncwgBAAAAAAAAAAEBAAAAAAAAAGEF"
        + "AAAAAAAAAHNpbmNlBgAAAAAAAOA/AQAAAAAAAAADAAAAAAAAAFgtQQEAAAAAAAAAMQEAAAAAAAAAAgAAAAAAAAABAgEA"
        + "AAAAAAAACgAAAAAAAAB0ZXh0L3BsYWluAQAAAAAAAAACAAAAAAAAAGlkBwAAAAAAAAAEAAAAAAAAAGEuaWQ="),
    GoldenFile(
      .queuedLanding, 1, "queuedLanding",
      "QVBJSwcBAAAAAAAAAAABAAAAAAAAAMkAAAAAAAAAAQAAAAAAAAAQAAAAAAAAAGh0dHBzOi8vYS50ZXN0L3gBAAAAAAAA"
        + "AAQAAAAAAAAARVRhZwMAAAAAAAAAIjEiAgAAAAAAAAABAg=="),
    GoldenFile(
      .queuedTransfer, 1, "queuedTransfer",
      "QVBJSwgBAAAAAAAAAAB6AAAAAAAAAAMAAAAAAAAAay0yBQAAAAAAAABIb21lcwcAAAAAAAAAcmVsZWFzZQQAAAAAAAAA"
        + "cGxhbgQAAAAAAAAAUE9TVAEAAAAAAAAAAgAAAAAAAABpZAIHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAABAAAAAAAAAAYAAAAAAAAAL2ZpbGVzAQAAAAAAAAABAAAAAAAAAAIAAAAAAAAAYWIUAAAAAAAA"
        + "AC9maWxlcy8ucGxhbi5qb3VybmFs//////////8="),
    GoldenFile(
      .queuedItem, 2, "queuedItem",
      "QVBJSwYCAAAAAAAAAACJVQ6+O3ET6wMAAAAAAAAAay0xBQAAAAAAAABIb21lcwcAAAAAAAAAcmVsZWFzZQQAAAAAAAAA"
        + "bGlzdAQAAAAAAAAAUE9TVAMAAAAAAAAABAAAAAAAAABiZWRzAgMAAAAAAAAABAAAAAAAAAB0YWdzCAEAAAAAAAAAAQEA"
        + "AAAAAAAAYQUAAAAAAAAAc2luY2UGAAAAAAAA4D8BAAAAAAAAAAMAAAAAAAAAWC1BAQAAAAAAAAAxAQAAAAAAAAACAAAA"
        + "AAAAAAECAQAAAAAAAAAKAAAAAAAAAHRleHQvcGxhaW4BAAAAAAAAAAIAAAAAAAAAaWQHAAAAAAAAAAQAAAAAAAAAYS5p"
        + "ZA=="),
    GoldenFile(
      .queuedLanding, 2, "queuedLanding",
      "QVBJSwcCAAAAAAAAAAB2cRAcQGdFBQEAAAAAAAAAyQAAAAAAAAABAAAAAAAAABAAAAAAAAAAaHR0cHM6Ly9hLnRlc3Qv"
        + "eAEAAAAAAAAABAAAAAAAAABFVGFnAwAAAAAAAAAiMSICAAAAAAAAAAEC"),
    GoldenFile(
      .queuedTransfer, 2, "queuedTransfer",
      "QVBJSwgCAAAAAAAAAABKgwz9yrw/ynoAAAAAAAAAAwAAAAAAAABrLTIFAAAAAAAAAEhvbWVzBwAAAAAAAAByZWxlYXNl"
        + "BAAAAAAAAABwbGFuBAAAAAAAAABQT1NUAQAAAAAAAAACAAAAAAAAAGlkAgcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAABgAAAAAAAAAvZmlsZXMBAAAAAAAAAAEAAAAAAAAAAgAAAAAAAABh"
        + "YhQAAAAAAAAAL2ZpbGVzLy5wbGFuLmpvdXJuYWz//////////w=="),
    GoldenFile(
      .downloadJournal, 2, "downloadJournal",
      "QVBJSwkCAAAAAAAAAAADFfxPOjP27nsiYm9vdCI6ImIiLCJzdGF0ZSI6eyJvZmZzZXQiOjMsInRhcmdldCI6eyJmb2xk"
        + "ZXIiOnsiXzAiOiJcL2ZpbGVzIiwib3ZlcndyaXRlcyI6dHJ1ZX19LCJ0b3RhbCI6OSwiZGlnZXN0Ijp7ImhleCI6ImUz"
        + "YjBjNDQyOThmYzFjMTQ5YWZiZjRjODk5NmZiOTI0MjdhZTQxZTQ2NDliOTM0Y2E0OTU5OTFiNzg1MmI4NTUiLCJpc0xv"
        + "bmciOmZhbHNlfSwiZXRhZyI6IlwiYVwiIiwibGFzdE1vZGlmaWVkIjoiU2F0LCAwMSBKYW4gMjAwMCAwMDowMDowMCBH"
        + "TVQiLCJmaWxlTmFtZSI6InBsYW4ucGRmIn0sImlkZW50aXR5IjoiNyJ9"),
    GoldenFile(
      .uploadJournal, 2, "uploadJournal",
      "QVBJSwoCAAAAAAAAAABmr5MLdgvc5XsidG90YWwiOjksImV4cGlyZXMiOjIwMDAwMDAwMDAsImhhc1NlbnRBbGwiOnRy"
        + "dWUsIm9mZnNldCI6MywibG9jYXRpb24iOiJodHRwczpcL1wvYS50ZXN0XC9maWxlc1wvMSJ9"),
    GoldenFile(
      .secrets, 1, "secrets", at: "Parameters",
      "QVBJSxEBjyT7WxRmoF34HwxxAOCqcn2C353W/5LZcmyynP/PSz0aLobQABLSOZPY9KgaVtviiM7b3UKchlKiScw5KlB2"
        + "ygRvQujKk6PKE0C3z3vC1bguHnOi9Pgv8PIHDqeQ8EUDsbdxyO6JV1ZNtavsI8qWcR5ifCwNVVkeuX21yIQmnD2NRsQ="),
    GoldenFile(
      .keptExchange, 1, "exchange",
      "QVBJSxIBjyT7WxRmoF0lfwOWkfttfgP5ddEP2ajTGmGr5eWtkzbo5NxgPvlEHETC0Geq8G5U/yMIkVg5qBu2lRd+K4CX"
        + "GnczGgWawFTmQJIicHQfEs/ZghPQLapCZhUSJHwRZi4RdxD31TO3xRQiBEtqRYpGf5CfTdtiCmZMRQMheOKj17Qbd6Ne"
        + "R4TMQ1qlxAAkFViuJ6eCJ5qTu5DbesbmPeSfbx0Sfc/2IL0RmK0tfebH/osq6AGPuclv17dWwO9ihg1rMfqpkhD706Is"
        + "J3LCNHKpQoPwHukAgfEp34zU6n+zrwA8D9UO9Z4p42IKXC4x1wRh+oMS1kXfGogFDAs31Wbw28LXciBMN/3hRPGi8qjD"
        + "v9rKu1OdkLjsh1Zgjt3U7eGtzxdsgEG08uQvN1kbIlEoiTkfaZHh3kB27+38Pdpe2Kxeqe0Ec9Ktu4uschvX+66xuMWC"
        + "ikkwlEPAP3BAMDnwgC4UyEMjhxJGwSGyvLpiIy4ME8NqN4Zu5z2N5gWUw/rbNz+gNc+kBjy6rNc51VpUdGKN9qixf+Vo"
        + "JrozYc8m4zO2HEAKkXayM/PiUeY9UaQ4Iyx1eGJNZRDbuyBuarebzigZbfgswMmvSS9w1HTAoIVxDGrrqzPUOwEMeSiA"
        + "Y9dS9BGOjGJk8CHXoI5KPwa4hE28/cSPZKFgUvLPfca5qQe1a3rC3Ts5PLjfPDGVnXHGOBX8PBJMSvg+8VhGQuJKIr+5"
        + "FFZ35TVo2tQW8QfKjyEab/sNGamngOQOCFDAaNnr2wk4j8Rvelk7Mhd5GZvMdJUupl17auaJwUP37lavp7kr4JPwU95n"
        + "ayyWyDmi9LXTrWJR/8j/aX+iigHwA5EV+4RZjpCtsfFSSQ9BlR32Xbq2DkJA"),
  ]
}
