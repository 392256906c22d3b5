// SPDX-License-Identifier: Apache-2.0
//
// Events as they happen. The answer is read as a stream, so that all kinds of events arrive, and after an interruption it goes on behind
// the last one: none is lost, and none comes twice.
import {send} from './api.js';

const PAUSE_MS = 300; // events come in bursts

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);

    signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, {once: true});
  });
}

// Reads events until the stream ends. Each is told, with its place in the order.
async function read(response, state, happened) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';

  for (;;) {
    const {done, value} = await reader.read();
    if (done)
      return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
      if (fields.id)
        state.last = fields.id;
      if (fields.data)
        happened();
    }
  }
}

// Calls happened() for each event of the tenant, or of a cluster, and each time it begins to hear of them, because something may have happened
// before; until the signal ends it.
export async function follow(cluster, signal, happened) {
  const state = {last: undefined};
  let wait = 500;

  while (!signal.aborted) {
    try {
      const options = {signal, accept: 'text/event-stream', path: {cluster}, headers: state.last ? {'Last-Event-ID': state.last} : {}};
      const response = await (cluster ? send('GET /v1/clusters/{cluster}/events', options) : send('GET /v1/events', options));

      wait = 500;
      happened();
      await read(response, state, happened);
    } catch (error) {
      if (error.name === 'AbortError')
        return;
      if (error.status === 401 || error.status === 403 || error.status === 404)
        return;
      if (error.status === 410)
        state.last = undefined;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, 15000);
  }
}

// Returns a function that has look() called soon, until the signal ends it: also while it is asked for again and again, one look at a time, and
// less often where a look takes long.
export function looking(look, signal) {
  let timer, isDue = false, isBusy = false, took = 0;

  async function now() {
    const began = performance.now();

    isBusy = true;
    isDue = false;
    try {
      await look();
    } finally {
      took = performance.now() - began;
      isBusy = false;
      if (isDue)
        later();
    }
  }
  function later() {
    clearTimeout(timer);
    if (!signal.aborted)
      timer = setTimeout(now, Math.max(PAUSE_MS, took));
  }
  signal.addEventListener('abort', () => clearTimeout(timer));
  return () => {
    if (!isDue && !isBusy)
      later();
    isDue = true;
  };
}
