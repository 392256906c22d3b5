// SPDX-License-Identifier: Apache-2.0
//
// Numbers and times as people read them.
import {el} from './dom.js';

const UNITS = [['y', 31536000], ['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

// A duration: 0.42 s, 12 s, 3 min 20 s, 2 h 5 min.
export function duration(seconds) {
  if (seconds === null || seconds === undefined)
    return '–';
  if (seconds < 60)
    return `${seconds < 10 ? Number(seconds.toFixed(seconds < 1 ? 2 : 1)) : Math.round(seconds)} s`;
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [name, size] = UNITS[at], [small, part] = UNITS[Math.min(at + 1, UNITS.length - 1)];
  const rest = Math.floor((seconds % size) / part);

  return `${Math.floor(seconds / size)} ${name}${rest && at + 1 < UNITS.length ? ` ${rest} ${small}` : ''}`;
}

// A time, as long ago or until then; the exact time is its title.
export function time(stamp) {
  if (!stamp)
    return '–';
  return el('time.ago', {datetime: stamp}, ago(stamp));
}

function ago(stamp) {
  const seconds = (Date.now() - Date.parse(stamp)) / 1000;
  const [name, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['s', 1];
  const amount = `${Math.floor(Math.abs(seconds) / size)} ${name}`;

  return Math.abs(seconds) < 1 ? 'now' : seconds > 0 ? `${amount} ago` : `in ${amount}`;
}

// What was two seconds ago does not stay so.
setInterval(() => document.querySelectorAll('time.ago').forEach((one) => {
  const words = ago(one.dateTime);

  if (one.textContent !== words)
    one.textContent = words;
}), 1000);

// The exact time is made where somebody wants to see it: of a long list that takes long.
document.addEventListener('pointerover', ({target}) => {
  if (target.tagName === 'TIME' && !target.title)
    target.title = new Date(target.dateTime).toLocaleString();
});

export function clock(stamp) {
  return el('time', {datetime: stamp}, new Date(stamp).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'medium'}));
}

export function cost(amount) {
  return amount === null || amount === undefined ? '–' : `${Number(amount.toFixed(4))} / h`;
}

// An amount of what machines have; memory is in MB.
export function amount(name, value) {
  if (name === 'memory' && value >= 1024)
    return `${Number((value / 1024).toFixed(1))} GB`;
  return name === 'memory' ? `${value} MB` : String(value);
}

const LABELS = {cpu: 'CPU', nodes: 'Machines'};

// The name of an amount, as a label.
export function amountLabel(name) {
  return LABELS[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

const KINDS = {active: 'good', healthy: 'good', complete: 'good', done: 'good', updating: 'busy', running: 'busy', waiting: 'busy', pending: 'busy',
  ok: 'good', error: 'bad', warning: 'warn', unhealthy: 'bad', unreachable: 'bad', gone: 'bad', staged: 'busy', recalled: 'warn', failed: 'bad', down: 'bad', lost: 'bad', cancelled: 'warn', degraded: 'warn', paused: 'warn', incomplete: 'bad', inconsistent: 'bad', retried: 'warn'};
const MARKS = {good: '●', busy: '◐', bad: '▲', warn: '◆', quiet: '○'};

// A state: its word, with a mark and a colour that say the same.
export function badge(word) {
  const kind = KINDS[word] ?? 'quiet';

  return el('span.badge', {'data-kind': kind}, el('span', {'aria-hidden': 'true'}, MARKS[kind]), ` ${word}`);
}
