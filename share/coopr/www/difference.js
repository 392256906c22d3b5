// SPDX-License-Identifier: Apache-2.0
//
// A preview or a difference, as the commands print it. What a line does is its first character.
import {el} from './dom.js';

const KINDS = {'+': 'plus', '-': 'minus', '~': 'change', '!': 'warning', '=': 'same'};

export function differenceView(lines) {
  return el('pre.difference', {tabindex: '0'}, lines.replace(/\n$/, '').split('\n').map((line) => el('span', {'data-kind': KINDS[line[0]] ?? 'plain'}, `${line}\n`)));
}
