import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Keys for tests alone: those of RFC 9421, B.1, and others of the kinds that it lacks.
enum SignatureTestKeys {
  static let secret = SecretKey(
    base64: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")

  static func shared() throws -> SignatureKey {
    try SignatureKey(id: "test-shared-secret", secret: XCTUnwrap(secret))
  }

  /// A pair that signs, in its private half, and the public half.
  static func pair(
    _ algorithm: SignatureKey.Algorithm, id: String? = nil
  ) throws -> (signing: SignatureKey, verifying: SignatureKey) {
    let (privatePEM, publicPEM, name) =
      switch algorithm {
      case .hmacSHA256: ("", "", "test-shared-secret")
      case .ed25519: (ed25519, ed25519Public, "test-key-ed25519")
      case .ecdsaP256SHA256: (p256, p256Public, "test-key-ecc-p256")
      case .ecdsaP384SHA384: (p384, p384Public, "p384")
      case .rsaPSSSHA512, .rsaV15SHA256: (rsa, rsaPublic, "rsa")
      }
    if algorithm == .hmacSHA256 {
      let key = try SignatureKey(id: id ?? name, secret: XCTUnwrap(secret))
      return (key, key)
    }
    return (
      try SignatureKey(id: id ?? name, algorithm: algorithm, privateKey: SecretKey(privatePEM)),
      try SignatureKey(id: id ?? name, algorithm: algorithm, publicKey: Array(publicPEM.utf8))
    )
  }

  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
    -----END PRIVATE KEY-----
    """
  static let ed25519Public = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
    -----END PUBLIC KEY-----
    """
  static let p256 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIFKbhfNZfpDsW43+0+JjUr9K+bTeuxopu653+hBaXGA7oAoGCCqGSM49
    AwEHoUQDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM
    4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
    -----END EC PRIVATE KEY-----
    """
  static let p256Public = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
    w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
    -----END PUBLIC KEY-----
    """
  static let p384 = """
    -----BEGIN EC PRIVATE KEY-----
    MIGkAgEBBDAcCQPOQiVJMsrTvc5uaqQ3sDO0PNxltwR5D0BZYMemH2hHg0RUnChP
    fgBLyJNkDKugBwYFK4EEACKhZANiAAQxnoTfUtM78dhG8f0pEbUBF+e3GXxO/9fB
    tsFg2LcysHzc6HRVqXNRQBZAcmdVxwLv+njRUFcLo7msQFy7aMCb+thw9DQddUEN
    YEJ0+9d5aKiq/CNMhIgFwgvXquLpUgo=
    -----END EC PRIVATE KEY-----
    """
  static let p384Public = """
    -----BEGIN PUBLIC KEY-----
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEMZ6E31LTO/HYRvH9KRG1ARfntxl8Tv/X
    wbbBYNi3MrB83Oh0ValzUUAWQHJnVccC7/p40VBXC6O5rEBcu2jAm/rYcPQ0HXVB
    DWBCdPvXeWioqvwjTISIBcIL16ri6VIK
    -----END PUBLIC KEY-----
    """
  static let rsa = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIEowIBAAKCAQEAwpfhitLz3ZVJ8v5N9aPuuYfcBgU92DkDEO/HQENVrPfWwaeo
    G5v6iVs9O3YWb41JdAke9mNvSjsIpZvyUQhTiNeUNyMSjxscBzF1+2Y4bSA2CGJS
    Ho/gx0vGkBVosjFSplyOrLvu+7VlhG76N+FGFT5NzZ/wSgpVz420TRFJq8t7VjtI
    TTW/JlXZt23oIjTrT90+27+0f9q4mNduaWCN/5Kona4KTXZAEnOIFH1ySuDYx9NM
    H7Wa3MRrd2o7EU3oTUrK95MZHyHqUQ6j5dG9ih+OZlzX7zww51Sa77p890ls7ofW
    fs/WjXoOI60REbBSrXgSSv9aM8OfHISnbMFKSwIDAQABAoIBAAd41ofCnuuYwmyq
    uCqg/1cvcNLoW54UXlpFosSEcWNBZwUrn2hj/mRM1RaV67mf1ry2ZvJ2Ef1rM+NM
    ECttYuvDv2S4m4tUMqjSDOI45BzImlqLD/UteCee8MJymAETpMVPk4jtdHlE11+U
    9VW0+EBzkoA9TnhBWlcsbUpySf5nMiTC/KME+KySnMMWY79cYrskIUZn4vDXtOAo
    pfM78/nbmB168Jvcv77hiroPuou+/HP2BHiFG0DFhqwfq4Qk2wjWwmZz9BJ8IlAI
    qgpOd8pmj9EyvwXPTcfyjCfyS5NPp++/g+I0q2Lt1tiK5NotjRplrmjFOpbvGTkQ
    IrrzEMECgYEA8bAo7u5bmJubtJO0uloraJMwrakoXSSffHTP4EKT0/VDYvUDklYP
    7t83NhMrUvu2w4BlVdVADHXoYbTTNQiReYk/Xhlr0KRF5XbkmDmesVHRNPyb0JNi
    FVEaUprXm25CVyAZLBo+2UhyXdD08srh+UePBdo4I8JqVu8nkNx208ECgYEAzh3K
    /y/+wM8PQgKYY13rseKvEWxBPlvTpyxEYL3gY8suD3sV/Jb5tf/8bH60r7ctuaB+
    9SsEaAL8CZegKjeyZO3gRJzOxtVGcpmrsO8IxQX3JU02c7GtfZOmqfDXVSOUqosX
    xqaiORN3Gr5F1j7UhqwtBeJLETGLuS5lMlOucQsCgYEAj8qd3+FiD35s+ddzC/f/
    oX0I1hkxEZFrbbFVx/f0WYOvLt3U3Shk3FpjT8HB4eIuT0xBffqc24z+z7q0efX6
    DxPv5n07XuuNRkMhJ8wINTkXPe4YidRV45bYEVNceXX09D79mvaWc9GdcWGTiivY
    m+XOGs5E3kmZ2NT6dj4kWEECgYAKKvwVpKd7mXtWNUyRMlPrPZSHVoDNc7g4Of3R
    i+xi3+YQy3ClOkltSgiIzaNaO74ctycsLwgTnXoTexBipMa/JeD3YYjt1B2aj6wh
    mVkkZwvvIiT6hhxZ4ovJPGFTCONPmnb8zMGZ8TTh89r8G7NeRWYfMS+k1H3hD8Hc
    PraPSwKBgGFioLHiXaA7Wpfw1JSKkrOmvdoPjwWIPrm8H1pFTx5y5DLTcnql3TU5
    0y8aG1kx7KnzWqaEFNGoA0zM4bHcfk/3beM/RUhcrh24UHwtBsPHzFrjYILjdNyO
    gAZf4ETQ/H6WNxKjNPRchXUQms8eE2nQ1wNBXJCgQXSxBYQYr5xN
    -----END RSA PRIVATE KEY-----
    """
  static let rsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpfhitLz3ZVJ8v5N9aPu
    uYfcBgU92DkDEO/HQENVrPfWwaeoG5v6iVs9O3YWb41JdAke9mNvSjsIpZvyUQhT
    iNeUNyMSjxscBzF1+2Y4bSA2CGJSHo/gx0vGkBVosjFSplyOrLvu+7VlhG76N+FG
    FT5NzZ/wSgpVz420TRFJq8t7VjtITTW/JlXZt23oIjTrT90+27+0f9q4mNduaWCN
    /5Kona4KTXZAEnOIFH1ySuDYx9NMH7Wa3MRrd2o7EU3oTUrK95MZHyHqUQ6j5dG9
    ih+OZlzX7zww51Sa77p890ls7ofWfs/WjXoOI60REbBSrXgSSv9aM8OfHISnbMFK
    SwIDAQAB
    -----END PUBLIC KEY-----
    """
  static let rsaPKCS1Public = """
    -----BEGIN RSA PUBLIC KEY-----
    MIIBCgKCAQEAwpfhitLz3ZVJ8v5N9aPuuYfcBgU92DkDEO/HQENVrPfWwaeoG5v6
    iVs9O3YWb41JdAke9mNvSjsIpZvyUQhTiNeUNyMSjxscBzF1+2Y4bSA2CGJSHo/g
    x0vGkBVosjFSplyOrLvu+7VlhG76N+FGFT5NzZ/wSgpVz420TRFJq8t7VjtITTW/
    JlXZt23oIjTrT90+27+0f9q4mNduaWCN/5Kona4KTXZAEnOIFH1ySuDYx9NMH7Wa
    3MRrd2o7EU3oTUrK95MZHyHqUQ6j5dG9ih+OZlzX7zww51Sa77p890ls7ofWfs/W
    jXoOI60REbBSrXgSSv9aM8OfHISnbMFKSwIDAQAB
    -----END RSA PUBLIC KEY-----
    """
  /// `test-key-rsa-pss` of RFC 9421, B.1.2.
  static let rsaPSSPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
    +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
    oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
    gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
    Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
    aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
    2wIDAQAB
    -----END PUBLIC KEY-----
    """
}
