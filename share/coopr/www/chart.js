// SPDX-License-Identifier: Apache-2.0
//
// Columns along the time, each of parts. A table beside says the same, so a chart is a picture with one sentence.
import {el} from './dom.js';
import {hue} from './layout.js';

const WIDTH = 1000, HEIGHT = 220, MOST = 9, SLOTS = 7; // parts that have a colour of their own, and then the others; columns that there is room for at least

function steps(most) {
  const size = 10 ** Math.floor(Math.log10(most || 1)), step = [1, 2, 5, 10].map((one) => one * size / 2).find((one) => most / one <= 5) ?? size * 5;

  return Array.from({length: Math.ceil(most / step) + 1}, (_, i) => Number((i * step).toPrecision(6)));
}

// rows: {column, part, value}, columns in their order. sentence says what is shown, unit what a value is.
export function columnsView(sentence, rows, unit) {
  const columns = [...new Set(rows.map((one) => one.column))], sums = new Map();
  rows.forEach((one) => sums.set(one.part, (sums.get(one.part) ?? 0) + one.value));
  const ranked = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name), named = ranked.slice(0, MOST), others = ranked.length > MOST ? ['others'] : [], parts = [...named, ...others];
  const cells = new Map(columns.map((column) => [column, new Map()]));
  rows.forEach(({column, part, value}) => {
    const cell = cells.get(column), name = named.includes(part) ? part : 'others';
    cell.set(name, (cell.get(name) ?? 0) + value);
  });
  const marks = steps(Math.max(...columns.map((one) => [...cells.get(one).values()].reduce((sum, value) => sum + value, 0)))), top = marks.at(-1) || 1, slots = Math.max(columns.length, SLOTS), wide = WIDTH / slots;

  const bars = columns.flatMap((column, i) => {
    let at = HEIGHT;
    return parts.filter((part) => cells.get(column).get(part)).map((part) => {
      const value = cells.get(column).get(part), height = value / top * HEIGHT;
      at -= height;
      return el('rect', {x: i * wide + wide * .12, y: at, width: wide * .76, height, 'data-hue': hue(part, parts)}, el('title', `${column}, ${part}: ${Number(value.toFixed(3))} ${unit}`));
    });
  });
  const every = Math.ceil(columns.length / 10);
  return el('figure.chart',
    el('div.chart-body', el('div.chart-axis', {'aria-hidden': 'true'}, marks.map((mark) => el('span', {style: {bottom: `${mark / top * 100}%`}}, String(mark)))),
      el('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': sentence},
        marks.map((mark) => el('line.grid', {x1: 0, x2: WIDTH, y1: HEIGHT - mark / top * HEIGHT, y2: HEIGHT - mark / top * HEIGHT})), bars)),
    el('div.chart-names', {'aria-hidden': 'true'}, columns.map((column, i) => el('span', {style: {width: `${100 / slots}%`}}, i % every === 0 ? column : ''))),
    el('figcaption.legend', `${sentence}: ${unit}`, parts.map((part) => el('span', el('i.swatch', {'data-hue': hue(part, parts)}), part))));
}
