import APIKit
import Reformers

/// RecordedResponses of the three services, two homes each, as they come over the wire.
enum RecordedResponses {
  static let sacramento: RawData = [
    "code": 0,
    "data": [
      "items": [
        [
          "home_id": "sac-1", "home_name": "2-bed home, Sacramento", "asking_price": 59222, "beds": 2,
          "baths": 1.0, "area_sqft": 836, "home_type": "Residential", "city": "Sacramento", "zip": "95838",
          "location": ["lat": 38.631913, "lon": -121.434879],
        ],
        [
          "home_id": "sac-2", "home_name": "3-bed home, Sacramento", "asking_price": 68212, "beds": 3,
          "baths": 1.5, "area_sqft": 1167, "home_type": "Residential", "city": "Sacramento",
          "zip": RawData.null,
          "location": ["lat": 38.478902, "lon": -121.431028],
        ],
      ]
    ],
  ]

  static let ames: RawData = [
    "status": "ok",
    "result": [
      "rows": [
        [
          "id": 1, "title": "One-storey family home, North Ames", "price": ["usd": 215000],
          "rooms": ["bed": 3, "bath": ["full": 1, "half": 1]],
          "size": ["living_sqft": 1656, "lot_sqft": 31770],
          "neighborhood": "North Ames", "building": ["kind": "OneFam", "built": 1960],
          "geo": [-93.619754, 42.054035],
        ]
      ]
    ],
  ]

  static let new: RawData = [
    "xf_list": [
      [
        "xf_id": "xf-17", "xf_name": "New family home in Gilbert, 2009", "xf_price": "189900.00",
        "xf_rooms": 3,
        "xf_baths": 2.5, "xf_size": 1629, "xf_district": "Gilbert", "xf_kind": "OneFam", "xf_lat": 42.060899,
        "xf_lng": -93.638933, "xf_year": 2009,
      ]
    ]
  ]

  static func source(_ service: String, api: String = "homes") -> ReformSource {
    ReformSource(managerType: Int.self, serviceName: service, apiName: api)
  }
}
