import APIKit

/// The filter: a text and an outcome, for the tables of loads and flights.
extension ReportPage {
  func filter(_ page: inout PageText) {
    // Without its script the page has no use for it, and does not show it.
    page.element("form", ["id": "filter", "hidden": ""]) { page in
      page.put("<label>Filter <input id=\"filter-text\" type=\"search\" autocomplete=\"off\" /></label>\n")
      page.element("select", ["id": "filter-outcome", "aria-label": "Outcome"]) { page in
        page.element("option", ["value": ""], text: "all outcomes")
        for outcome in LandedLoad.Outcome.allCases {
          page.element("option", ["value": outcome.rawValue], text: outcome.rawValue)
        }
      }
      page.element("span", ["id": "filter-count"])
    }
  }

  /// All of the page's script, without a character that HTML or XML would have to escape. The page's policy names its digest
  /// and so permits no other.
  static let script: StaticString = """
    'use strict';
    const form = document.getElementById('filter');
    const text = document.getElementById('filter-text');
    const outcome = document.getElementById('filter-outcome');
    const count = document.getElementById('filter-count');
    const rows = Array.from(document.querySelectorAll('[data-load]'));
    function apply() {
      const wanted = text.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const isOther = outcome.value !== '' ? row.dataset.load !== outcome.value : false;
        row.hidden = isOther || !row.textContent.toLowerCase().includes(wanted);
        if (!row.hidden) shown += 1;
      }
      count.textContent = shown + ' of ' + rows.length + ' rows';
    }
    function open() {
      const target = document.getElementById(location.hash.slice(1));
      if (target === null) return;
      const details = target.querySelector('details');
      if (details !== null) details.open = true;
      if (target.hidden) { target.hidden = false; }
      target.scrollIntoView();
    }
    form.hidden = false;
    form.addEventListener('submit', event => event.preventDefault());
    text.addEventListener('input', apply);
    outcome.addEventListener('change', apply);
    addEventListener('hashchange', open);
    apply();
    open();

    """
}
