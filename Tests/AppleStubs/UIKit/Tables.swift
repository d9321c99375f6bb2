// swift-format-ignore-file
// UIKit/UITableView.h, https://developer.apple.com/documentation/uikit/uitableview
public import Foundation

@available(watchOS, unavailable)
@MainActor open class UITableView: UIView {
  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) { fatalError() }
  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell { fatalError() }
  open func reloadData() { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uitableviewcell
@available(watchOS, unavailable)
@MainActor open class UITableViewCell: UIView {
  @available(iOS 14, macCatalyst 14, tvOS 14, visionOS 1, *)
  open func defaultContentConfiguration() -> UIListContentConfiguration { fatalError() }
  @available(iOS 14, macCatalyst 14, tvOS 14, visionOS 1, *)
  open var contentConfiguration: (any UIContentConfiguration)? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/uikit/uicontentconfiguration-swift.protocol
@available(iOS 14, macCatalyst 14, tvOS 14, visionOS 1, *)
@available(watchOS, unavailable)
@MainActor public protocol UIContentConfiguration {}
/// https://developer.apple.com/documentation/uikit/uilistcontentconfiguration-swift.struct
@available(iOS 14, macCatalyst 14, tvOS 14, visionOS 1, *)
@available(watchOS, unavailable)
@MainActor public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String? { get { fatalError() } set { fatalError() } }
  public var secondaryText: String? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/uikit/uitableviewcontroller, with the methods of its two protocols that are used
@available(watchOS, unavailable)
@MainActor open class UITableViewController: UIViewController {
  public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }
  open var tableView: UITableView! { get { fatalError() } set { fatalError() } }
  @available(tvOS, unavailable) open var refreshControl: UIRefreshControl? { get { fatalError() } set { fatalError() } }
  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { fatalError() }
  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { fatalError() }
  open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) { fatalError() }
  open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/indexpath/row
extension IndexPath {
  public var row: Int { get { fatalError() } set { fatalError() } }
}
