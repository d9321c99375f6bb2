// swift-format-ignore-file
// Foundation/NSXMLParser.h, https://developer.apple.com/documentation/foundation/xmlparser

open class XMLParser: NSObject {
  public init(data: Data) { fatalError() }
  public weak var delegate: (any XMLParserDelegate)? { get { fatalError() } set { fatalError() } }
  open func parse() -> Bool { fatalError() }
  public var parserError: (any Error)? { fatalError() }
}

/// Its methods are optional there; here they are those that the project's delegates have, required, so that a misspelt one fails.
public protocol XMLParserDelegate: NSObjectProtocol {
  func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String])
  func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?)
  func parser(_ parser: XMLParser, foundCharacters string: String)
}
