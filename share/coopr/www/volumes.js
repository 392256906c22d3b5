// SPDX-License-Identifier: Apache-2.0
//
// Volumes and their snapshots: which machine has each, what it costs, and what may become of those that no machine has.
import {choice, el, empty, field, lineInput, table, tell} from './dom.js';
import {call, items, may} from './api.js';
import {redrawn, requestForm, sure} from './admin.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {badge, cost, time} from './format.js';

const isSnapshot = (one) => one.type === 'snapshot';

function changes(one, again) {
  const body = isSnapshot(one) ? {} : {'discard-data': true};
  const act = (route, sent, done) => async () => {
    await call(route, {path: {volume: one.id}, body: sent});
    tell(done);
    await again();
  };

  return may('user') && el('span.row',
    !isSnapshot(one) && el('button.small', {type: 'button', 'aria-label': `Make a snapshot of ${one.id}`, title: commandLine(ACTIONS.snapshot, {volume: one.id}),
      onclick: act('POST /v1/volumes/{volume}/snapshot', {}, `There is a snapshot of ${one.id}.`)}, 'Snapshot'),
    !one.node && sure('Delete', `Delete ${one.id} with its data`, commandLine(ACTIONS.deleteVolume, {volume: one.id, ...body}), act('DELETE /v1/volumes/{volume}', body, `${one.id} is deleted.`)));
}

function restoreForm(list, again) {
  const volume = choice(list.map((one) => [one.id, `${one.id}: ${one.volume} of ${one.service}, ${one.name}`]), list[0].id, {name: 'volume'});
  const cluster = lineInput('cluster', {required: true});
  const send = async (given) => {
    await call('POST /v1/volumes/{volume}/restore', {path: {volume: given.volume}, body: {cluster: given.cluster}});
    tell(`The next new machine of ${given.cluster} with that service has it.`);
  };

  return requestForm({title: 'Give one to a cluster', button: 'Restore', action: ACTIONS.restoreVolume, values: () => ({volume: volume.value, cluster: cluster.value || 'CLUSTER'}), send, done: again,
    controls: [field('Volume or snapshot', volume), field('Cluster', cluster, 'Its next new machine with the same service, of the same provider, has the volume; it need not be there yet.')]});
}

export function volumesView({signal}) {
  return redrawn(async (again) => {
    const list = await items('GET /v1/volumes', {signal}), free = list.filter((one) => !one.node);
    const rows = list.map((one) => [one.id, one.of ? `${one.type} of ${one.of}` : one.type, one.state === 'orphaned' ? one.name : el('a', {href: `#/clusters/${encodeURIComponent(one.cluster)}`}, one.name),
      `${one.service}: ${one.volume}`, one.size_gb, cost(one.cost), one.node ?? badge(one.state), one.promised ?? '', time(one.made), changes(one, again)]);

    return [el('h1', 'Volumes'), el('p', 'What a service keeps on a volume outlives its machine. A volume that is kept, and a snapshot, outlive their cluster, too, and cost until somebody deletes them.'),
      list.length ? table('Volumes', ['Volume', 'Kind', 'Cluster', 'Service', {name: 'GiB', number: true}, {name: 'Cost', number: true}, 'Machine', 'Promised to', 'Made', 'Change'], rows)
        : empty('No volumes', 'A service that asks for volumes in its definition gets them on each of its machines.'),
      may('user') && free.length > 0 && restoreForm(free, again), commandView(commandLine(ACTIONS.volumes))];
  });
}
