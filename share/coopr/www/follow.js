// SPDX-License-Identifier: Apache-2.0
//
// Events as they happen. The answer is read as a stream, so that all kinds of events arrive, and after an interruption it goes on behind
// the last one: none is lost, and none comes twice.
import {send} from './api.js';

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
        happened(JSON.parse(fields.data));
    }
  }
}

// Calls happened(event) for each event of the tenant, or of a cluster, until the signal ends it; and changed(true or false) when it begins or
// stops to hear of them. What happened before is to be looked at after the first changed(true).
export async function follow(cluster, signal, happened, changed = () => {}) {
  const state = {last: undefined};
  let wait = 500;

  while (!signal.aborted) {
    try {
      const options = {signal, accept: 'text/event-stream', path: {cluster}, headers: state.last ? {'Last-Event-ID': state.last} : {}};
      const response = await (cluster ? send('GET /v1/clusters/{cluster}/events', options) : send('GET /v1/events', options));

      wait = 500;
      changed(true);
      await read(response, state, happened);
    } catch (error) {
      if (error.name === 'AbortError')
        return;
      if (error.status === 401 || error.status === 403 || error.status === 404)
        return;
      if (error.status === 410)
        state.last = undefined;
    }
    changed(false);
    await pause(wait, signal);
    wait = Math.min(wait * 2, 15000);
  }
}
