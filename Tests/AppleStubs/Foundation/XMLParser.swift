// swift-format-ignore-file
// https://developer.apple.com/documentation/foundation/xmlparser

open class XMLParser: NSObject {
  public init(data: Data) { fatalError() }
  public weak var delegate: (any XMLParserDelegate)? { get { fatalError() } set { fatalError() } }
  open func parse() -> Bool { fatalError() }
  public var parserError: (any Error)? { fatalError() }
}

/// Its methods are optional.
public protocol XMLParserDelegate: NSObjectProtocol {
  func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String])
  func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?)
  func parser(_ parser: XMLParser, foundCharacters string: String)
}

extension XMLParserDelegate {
  public func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String]) { fatalError() }
  public func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?) { fatalError() }
  public func parser(_ parser: XMLParser, foundCharacters string: String) { fatalError() }
}
