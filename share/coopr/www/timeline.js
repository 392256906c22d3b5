// SPDX-License-Identifier: Apache-2.0
//
// The attempts of an operation as bars along the time, one row for each machine; what was on the critical path has a border.
import {el} from './dom.js';
import {duration} from './format.js';

const WIDTH = 1000, ROW = 24;
const ACTIONS = ['create', 'confirm', 'bootstrap', 'install', 'configure', 'initialize', 'start', 'stop', 'remove', 'delete'];
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

function span(attempt, from, now) {
  const begin = Date.parse(attempt.began_at) / 1000 - from;

  return [begin, begin + (attempt.status === 'running' ? Math.max(now - from - begin, 0) : attempt.took_s ?? 0)];
}

// Puts attempts that overlap into lanes of their own.
function lanes(attempts, from, now) {
  const ends = [];

  return attempts.map((attempt) => {
    const [begin, end] = span(attempt, from, now);
    let lane = ends.findIndex((one) => one <= begin + 1e-6);
    if (lane < 0)
      lane = ends.push(0) - 1;
    ends[lane] = end;
    return {attempt, begin, end, lane};
  }).map((one, i, all) => ({...one, lanes: all.length && ends.length}));
}

function bar({attempt, begin, end, lane}, top, scale) {
  const kind = ACTIONS.indexOf(attempt.action);
  const words = [attempt.action, attempt.service, attempt.status === 'done' ? duration(attempt.took_s) : attempt.status].filter(Boolean).join(' ');

  return el(`rect.bar-${attempt.status}`, {x: begin * scale, y: top + lane * ROW + 3, width: Math.max((end - begin) * scale, 2), height: ROW - 6, rx: 3,
    'data-action': kind < 0 ? 'other' : kind, 'data-critical': attempt.critical}, el('title', words));
}

function marks(seconds) {
  const step = STEPS.find((one) => seconds / one <= 10) ?? 86400 * Math.ceil(seconds / 864000);

  return Array.from({length: Math.floor(seconds / step) + 1}, (_, i) => i * step);
}

// attempts are records of coopr report.
export function timelineView(attempts, isRunning) {
  const from = Math.min(...attempts.map((one) => Date.parse(one.began_at) / 1000));
  const now = Date.now() / 1000;
  const groups = new Map();

  attempts.forEach((one) => {
    const key = one.hostname?.split('.')[0] ?? one.node ?? 'cluster';
    groups.set(key, [...(groups.get(key) ?? []), one]);
  });
  const rows = [...groups].map(([name, list]) => ({name, bars: lanes(list, from, now)}));
  const seconds = Math.max(...rows.flatMap(({bars}) => bars.map(({end}) => end)), 0.01) * (isRunning ? 1.05 : 1);
  let top = 0;
  rows.forEach((row) => { row.top = top; row.height = (row.bars[0]?.lanes ?? 1) * ROW; top += row.height; });
  const used = ACTIONS.map((name, i) => [name, i]).filter(([name]) => attempts.some((one) => one.action === name));
  const others = [...new Set(attempts.map((one) => one.action).filter((name) => !ACTIONS.includes(name)))];

  return el('div',
    el('p.legend', used.map(([name, i]) => el('span', el('i.swatch', {'data-action': i}), name)),
      others.length > 0 && el('span', el('i.swatch', {'data-action': 'other'}), others.join(', ')), el('span', el('i.swatch.critical'), 'critical path'),
      attempts.some((one) => one.status === 'failed') && el('span', el('i.swatch.failed'), 'failed')),
    el('div.timeline',
      el('div.timeline-names', rows.map(({name, height: rowHeight}) => el('div', {style: {height: `${rowHeight}px`}, title: name}, el('bdi', name)))),
      el('div.timeline-bars', {tabindex: '0', role: 'region', 'aria-label': 'Timeline of the tasks; the table of attempts says the same'},
        el('div.timeline-axis', {'aria-hidden': 'true'}, marks(seconds).map((mark) => el('span', {style: {left: `${mark / seconds * 100}%`}}, duration(mark)))),
        el('svg', {viewBox: `0 0 ${WIDTH} ${top}`, preserveAspectRatio: 'none', height: top, 'aria-hidden': 'true'},
          marks(seconds).map((mark) => el('line.grid', {x1: mark / seconds * WIDTH, x2: mark / seconds * WIDTH, y1: 0, y2: top})),
          rows.map(({bars, top: at}) => bars.map((one) => bar(one, at, WIDTH / seconds)))))));
}
