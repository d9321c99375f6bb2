// swift-format-ignore-file
// UIKit/UIViewController.h, https://developer.apple.com/documentation/uikit/uiviewcontroller
public import Foundation

@available(watchOS, unavailable)
@MainActor open class UIViewController: UIResponder {
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
  public required init?(coder: NSCoder) { fatalError() }
  open var view: UIView! { get { fatalError() } set { fatalError() } }
  open var title: String? { get { fatalError() } set { fatalError() } }
  open var navigationItem: UINavigationItem { fatalError() }
  open var navigationController: UINavigationController? { fatalError() }
  open func viewDidLoad() { fatalError() }
  open func viewWillAppear(_ animated: Bool) { fatalError() }
  open func viewDidDisappear(_ animated: Bool) { fatalError() }
  open func present(_ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uinavigationcontroller/pushviewcontroller(_:animated:)
@available(watchOS, unavailable)
@MainActor open class UINavigationController: UIViewController {
  open func pushViewController(_ viewController: UIViewController, animated: Bool) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uinavigationitem/searchcontroller
@available(watchOS, unavailable)
@MainActor open class UINavigationItem: NSObject {
  @available(iOS 11, macCatalyst 13.1, visionOS 1, *) @available(tvOS, unavailable)
  open var searchController: UISearchController? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/uikit/uisearchcontroller
@available(watchOS, unavailable)
@MainActor open class UISearchController: UIViewController {
  public init(searchResultsController: UIViewController?) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }
  weak open var searchResultsUpdater: (any UISearchResultsUpdating)?
  open var obscuresBackgroundDuringPresentation: Bool { get { fatalError() } set { fatalError() } }
  open var searchBar: UISearchBar { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uisearchresultsupdating
@available(watchOS, unavailable)
@MainActor public protocol UISearchResultsUpdating: NSObjectProtocol {
  func updateSearchResults(for searchController: UISearchController)
}
/// https://developer.apple.com/documentation/uikit/uisearchbar/text
@available(watchOS, unavailable)
@MainActor open class UISearchBar: UIView { open var text: String? { get { fatalError() } set { fatalError() } } }
/// https://developer.apple.com/documentation/uikit/uialertcontroller
@available(watchOS, unavailable)
@MainActor open class UIAlertController: UIViewController {
  public enum Style: Int, Sendable { case actionSheet, alert }
  public convenience init(title: String?, message: String?, preferredStyle: UIAlertController.Style) { fatalError() }
  open func addAction(_ action: UIAlertAction) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uialertaction
@available(watchOS, unavailable)
@MainActor open class UIAlertAction: NSObject {
  public enum Style: Int, Sendable { case `default`, cancel, destructive }
  public convenience init(title: String?, style: UIAlertAction.Style, handler: ((UIAlertAction) -> Void)? = nil) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uilabel
@available(watchOS, unavailable)
@MainActor open class UILabel: UIView {
  public convenience init() { fatalError() }
  open var text: String? { get { fatalError() } set { fatalError() } }
  open var numberOfLines: Int { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/uikit/uicontrol/addaction(_:for:)
@available(watchOS, unavailable)
@MainActor open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static var valueChanged: Self { fatalError() }
  }
  @available(iOS 14, macCatalyst 14, tvOS 14, visionOS 1, *)
  open func addAction(_ action: UIAction, for controlEvents: UIControl.Event) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uiaction
@available(iOS 13, macCatalyst 13.1, tvOS 13, visionOS 1, *)
@available(watchOS, unavailable)
@MainActor open class UIAction: NSObject {
  public convenience init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uirefreshcontrol
@available(tvOS, unavailable) @available(watchOS, unavailable)
@MainActor open class UIRefreshControl: UIControl {
  public convenience init() { fatalError() }
  open func endRefreshing() { fatalError() }
}
