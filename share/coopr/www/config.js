// SPDX-License-Identifier: Apache-2.0
//
// The values of a configuration, which are its leaves: each has a path, the names of the members that lead to it.
import {el, field, fill} from './dom.js';

// Returns the leaves as lists [path, value].
export function leaves(config, path = []) {
  return Object.entries(config ?? {}).flatMap(([name, value]) => value && typeof value === 'object' && !Array.isArray(value)
    ? leaves(value, [...path, name]) : [[[...path, name], value]]);
}

// Returns a value as it is written in a field; valueOf reads it again: what was a text stays one.
export function written(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function valueOf(word, before) {
  if (typeof before === 'string')
    return word;
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

// Returns a copy in which the leaf at the path has another value.
export function changedAt(config, path, value) {
  const copy = structuredClone(config), parent = path.slice(0, -1).reduce((at, name) => at[name], copy);

  parent[path.at(-1)] = value;
  return copy;
}

// A control of a form: a field for each value, and all of them as the text that the control area is; each follows the other.
export function configControl(area) {
  const text = area.view.querySelector('textarea'), fields = el('div');
  const draw = () => {
    let config;
    try {
      config = JSON.parse(text.value);
    } catch {
      return; // area says so
    }
    fill(fields, leaves(config).map(([path, value]) => field(path.join(' › '), el('input', {value: written(value), spellcheck: 'false', autocapitalize: 'none', 'data-key': path.join('/'), oninput: (event) => {
      text.value = JSON.stringify(changedAt(JSON.parse(text.value), path, valueOf(event.target.value, value)), null, 2);
    }}))));
  };

  text.addEventListener('input', draw);
  draw();
  return {view: el('div', fields, el('details', {open: fields.childElementCount === 0}, el('summary', 'As JSON'), area.view)), read: area.read};
}
