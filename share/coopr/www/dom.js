// SPDX-License-Identifier: Apache-2.0
//
// Elements of the document. Text is always text: nothing here reads markup, so a name or a line of a log is shown as it is.

const SVG = new Set(['svg', 'g', 'rect', 'line', 'text', 'path', 'circle', 'title']);

// A character that drives a terminal, or turns the direction of writing so that a text reads as another: commands show a mark in its place, too.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function shown(text) {
  return text.replace(CONTROL, '\ufffd');
}

// Makes an element, 'p.quiet' one of the class quiet. What follows is its attributes (plain objects) and its contents: texts, elements,
// and lists of them; null and false are nothing. An object of an answer is shown as JSON.
export function el(kind, ...parts) {
  const [name, ...classes] = kind.split('.');
  const node = SVG.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);

  if (classes.length)
    node.setAttribute('class', classes.join(' '));
  add(node, parts);
  return node;
}

export function add(node, part) {
  if (part === null || part === undefined || part === false)
    return;
  if (Array.isArray(part))
    part.forEach((one) => add(node, one));
  else if (part instanceof Node)
    node.append(part);
  else if (typeof part === 'object' && Object.getPrototypeOf(part) === null)
    node.append(shown(JSON.stringify(part)));
  else if (typeof part === 'object')
    Object.entries(part).forEach(([name, value]) => set(node, name, value));
  else
    node.append(shown(String(part)));
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false)
    return;
  if (name.startsWith('on'))
    node.addEventListener(name.slice(2), value);
  else if (name === 'style')
    Object.entries(value).forEach(([property, one]) => node.style.setProperty(property, one));
  else if (name === 'value' || name === 'checked' || name === 'selected')
    node[name] = value;
  else if (name !== 'href' || isHarmless(value))
    node.setAttribute(name, value === true ? '' : name === 'title' ? shown(String(value)) : value);
}

// A link of a template leads to a web page, and never to a script.
function isHarmless(address) {
  return /^(#|https?:\/\/|v1\/|terminal#)/.test(address);
}

// Replaces what an element contains, and leaves the focus on what has the same key (data-key) as what had it.
export function fill(node, ...parts) {
  const key = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;

  node.replaceChildren();
  add(node, parts);
  if (key)
    node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  return node;
}

let count = 0;

// Returns an id that no other element has.
export function fresh(word) {
  count += 1;
  return `${word}-${count}`;
}

// A control for a line that is no prose: a name, a pattern.
export function lineInput(name, attributes) {
  return el('input', {name, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off', ...attributes});
}

// A field of a form: its label, the control, and a hint below.
export function field(label, control, hint) {
  const id = control.id || fresh('field');

  control.id = id;
  if (hint)
    control.setAttribute('aria-describedby', `${id}-hint`);
  return el('div.field', el('label', {for: id}, label), control, hint && el('p.hint', {id: `${id}-hint`}, hint));
}

export function choice(options, value, attributes) {
  return el('select', attributes, options.map(([key, label]) => el('option', {value: key, selected: key === value}, label)));
}

export function check(label, attributes) {
  return el('label.check', el('input', {type: 'checkbox'}, attributes), el('span', label));
}

// Tells something that happened, also to who listens instead of looking. What was told before it is over.
export function tell(text, kind = 'good') {
  const toast = el('div.toast', {'data-kind': kind}, text);

  document.getElementById('toasts').replaceChildren(toast);
  setTimeout(() => toast.remove(), kind === 'bad' ? 12000 : 5000);
}

// Calls an action once nothing has changed for a while; a call that is due is replaced by the next one.
export function settled(action, milliseconds) {
  let timer;

  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

// A table whose rows are lists of cells; on a narrow screen each row is a card, whose cells are named by the columns.
export function table(caption, columns, rows, attributes) {
  return el('div.table', {tabindex: '0', role: 'region', 'aria-label': caption}, attributes,
    el('table', el('caption.unseen', caption),
      el('thead', el('tr', columns.map((column) => el(`th${numeric(column)}`, {scope: 'col'}, column.name ?? column)))),
      el('tbody', tableRows(columns, rows))));
}

// The rows of such a table.
export function tableRows(columns, rows) {
  return rows.map((cells) => el('tr', cells.map((cell, i) =>
    el(`${i === 0 ? 'th' : 'td'}${numeric(columns[i])}`, {scope: i === 0 ? 'row' : null, 'data-column': columns[i].name ?? columns[i]}, i === 0 && cell === '' ? '–' : cell))));
}

function numeric(column) {
  return column.number ? '.number' : '';
}

// Waits until what is there by now is painted.
export function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

// What is shown where there is nothing: why, and what to do.
export function empty(title, text, ...actions) {
  return el('div.empty', el('h2', title), el('p', text), actions.some(Boolean) && el('p.row', actions));
}

// What a problem says, and which box of a form permits it, if there is one for that.
export function reasonOf(error) {
  const box = error.wayOut && document.querySelector(`form [name="${CSS.escape(error.wayOut)}"]`);

  return box?.labels.length ? `${error.message}; tick “${box.labels[0].textContent}”` : error.message;
}

export function problem(error) {
  const errors = error.errors ?? [];

  return el('div.problem', {role: 'alert'}, el('strong', error.title ?? 'That did not work'), el('p', reasonOf(error)),
    errors.length > 0 && el('ul', errors.map((one) => el('li', el('code', one.pointer || '/'), ' ', one.detail))));
}
