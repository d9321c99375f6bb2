/// The page that shows loads while they are under way. All that comes from loads is set as text, never as markup.
enum ConsolePage {
  static func html(nonce: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Loads</title><style nonce="\(nonce)">\(style)</style></head><body>
    <h1>Loads</h1>
    <p id="state" role="status">connecting</p>
    <p><label>Filter <input id="filter" type="search" autocomplete="off"></label> <a href="report">Report</a></p>
    <table><thead><tr><th>Load</th><th>API</th><th>Attempt</th><th>Now</th><th>ms</th><th></th></tr></thead>
    <tbody id="loads"></tbody></table>
    <section id="one" hidden><h2 id="name"></h2><ol id="events"></ol></section>
    <h2>Rules</h2>
    <p>The first rule that applies to host and path counts; <code>*</code> stands for any characters.</p>
    <form id="form"><input id="pattern" placeholder="host/path*" aria-label="pattern" required>
    <input id="latency" type="number" min="0" max="60000" placeholder="ms" aria-label="latency in milliseconds">
    <input id="loss" type="number" min="0" max="100" placeholder="% lost" aria-label="percentage lost">
    <input id="status" type="number" min="200" max="599" placeholder="status" aria-label="status"> <button>Add</button></form>
    <ul id="rules"></ul><p id="said" role="status"></p>
    <script nonce="\(nonce)">\(script)</script></body></html>
    """
  }

  private static let style = """
    :root { color-scheme: light dark } body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem; max-width: 70rem }
    table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .2rem .5rem; vertical-align: top;
    border-bottom: 1px solid light-dark(#ccc, #444); white-space: nowrap }
    td:nth-child(2), td:nth-child(4) { white-space: normal; overflow-wrap: anywhere }
    td:nth-child(5) { text-align: right; font-variant-numeric: tabular-nums } tr.failed td:nth-child(4) { color: light-dark(#b11, #f77) }
    tr.succeeded td:nth-child(4) { color: light-dark(#161, #6c6) } tbody tr { cursor: pointer } input { max-width: 9rem; font: inherit }
    #pattern { max-width: 16rem } ol { padding-left: 1.5rem; font-family: ui-monospace, monospace; overflow-wrap: anywhere }
    @media (max-width: 40rem) { th:nth-child(3), td:nth-child(3) { display: none } th, td { padding: .2rem .25rem } }
    """

  /// The latest 200 loads are kept, and 200 events of each.
  private static let script = """
    'use strict';
    const by = id => document.getElementById(id);
    const loads = new Map(); let shown = null; let rules = [];
    const cell = (row, text) => { const td = row.insertCell(); const b = document.createElement('bdi');
      b.textContent = text; td.append(b); return td; };
    function row(load) {
      const tr = load.row; tr.textContent = ''; tr.className = load.end || '';
      cell(tr, load.flight); cell(tr, load.api); cell(tr, load.attempt || ''); cell(tr, load.text);
      cell(tr, load.at.toFixed(1)); const td = tr.insertCell();
      const request = load.request; if (request && request.mayReplay) {
        const button = document.createElement('button'); button.textContent = 'Replay';
        button.title = request.method + ' ' + request.url;
        button.onclick = event => { event.stopPropagation();
          if (['GET', 'HEAD', 'OPTIONS'].includes(request.method) || confirm('Send ' + button.title + ' again?'))
            post('replay', String(request.number)); };
        td.append(button); }
      tr.hidden = !matches(load);
    }
    const matches = load => { const text = by('filter').value.toLowerCase();
      return !text || (load.api + ' ' + load.text + ' ' + load.flight).toLowerCase().includes(text); };
    function find(flight, api) {
      let load = loads.get(flight);
      if (!load) {
        load = { flight, api: api || '', attempt: 0, text: '', at: 0, events: [], request: null, seen: new Set(),
          row: document.createElement('tr') };
        load.row.onclick = () => { shown = flight; detail(); };
        load.row.tabIndex = 0; load.row.onkeydown = event => { if (event.key === 'Enter') load.row.onclick(); };
        loads.set(flight, load); by('loads').prepend(load.row);
        if (loads.size > 200) { const [first, old] = loads.entries().next().value; old.row.remove(); loads.delete(first); }
      }
      return load;
    }
    function detail() {
      const load = loads.get(shown); by('one').hidden = !load; if (!load) return;
      by('name').textContent = load.flight + ' ' + load.api; by('events').textContent = '';
      for (const event of load.events) { const li = document.createElement('li');
        li.textContent = '+' + event.at.toFixed(1) + ' ms  ' + event.text; by('events').append(li); }
    }
    const source = new EventSource('events');
    source.onopen = () => by('state').textContent = 'live';
    // A response that is no stream, such as 404 or 503, ends the trying.
    source.onerror = () => by('state').textContent = source.readyState === EventSource.CLOSED
      ? 'closed: another program has the port now, or too many pages are open' : 'not connected; trying again';
    source.onmessage = message => {
      const event = JSON.parse(message.data);
      if (event.kind === 'replayed') { by('said').textContent = 'Replay ' + event.number + ': '
        + [event.failure, event.status && 'status ' + event.status, event.bytes != null && event.bytes + ' bytes']
          .filter(Boolean).join(', '); return; }
      if (event.flight == null) return;
      const load = find(event.flight, event.api);
      if (event.kind === 'request') load.request = event;
      else {
        const key = event.at + ' ' + event.text; if (load.seen.has(key)) return;
        load.api = event.api; load.attempt = event.attempt; load.text = event.text; load.at = event.at;
        load.end = event.end || load.end; if (load.events.length < 200) { load.seen.add(key); load.events.push(event); }
      }
      row(load); if (shown === load.flight) detail();
    };
    by('filter').oninput = () => { for (const load of loads.values()) load.row.hidden = !matches(load); };
    async function post(path, body) {
      const response = await fetch(path, { method: 'POST', body }); const text = await response.text();
      if (!response.ok) by('said').textContent = text || 'refused: ' + response.status;
      return response.ok ? text : null;
    }
    function show() {
      by('rules').textContent = '';
      rules.forEach(rule => { const li = document.createElement('li');
        li.textContent = rule.pattern + ': ' + rule.latencyMilliseconds + ' ms, ' + Number((rule.loss * 100).toFixed(4)) + ' % lost'
          + (rule.status ? ', status ' + rule.status : '') + ' ';
        const button = document.createElement('button'); button.textContent = 'Remove';
        button.onclick = () => change(now => { const at = now.findIndex(other => key(other) === key(rule));
          return now.filter((_, index) => index !== at); });
        li.append(button); by('rules').append(li); });
    }
    const key = rule => [rule.pattern, rule.latencyMilliseconds, rule.loss, rule.status].join(' ');
    async function read() { rules = await (await fetch('rules')).json(); show(); }
    // The program and other pages state rules, too: what they have stated meanwhile stays.
    async function change(edit) { await read(); const text = await post('rules', JSON.stringify(edit(rules)));
      if (text) { rules = JSON.parse(text); show(); } }
    by('form').onsubmit = event => { event.preventDefault();
      const rule = { pattern: by('pattern').value, latencyMilliseconds: Number(by('latency').value || 0),
        loss: Number(by('loss').value || 0) / 100, status: by('status').value ? Number(by('status').value) : null };
      change(now => now.concat(rule)); };
    read();
    """
}
