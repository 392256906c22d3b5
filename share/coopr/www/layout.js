// SPDX-License-Identifier: Apache-2.0
//
// A layout as a picture: each machine a box with its services in it. Machines that are alike become one box where there are many.
import {el} from './dom.js';
import {badge, count} from './format.js';

const EACH = 48; // machines that are shown one by one, at most
const HUES = 10;

// Returns the number of a service's colour: the same wherever the cluster has the same services.
export function hue(service, services) {
  return [...services].sort().indexOf(service) % HUES;
}

function alike(nodes) {
  const groups = new Map();

  nodes.forEach((node) => {
    const key = JSON.stringify([node.hardwaretype, node.imagetype, node.services]);
    groups.set(key, [...(groups.get(key) ?? []), node]);
  });
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function box(node, number, services, more) {
  return el('li.machine', {'data-key': node.id},
    el('div.machine-head', el('strong', number > 1 ? `${number} ×` : more ? node.hostname.split('.')[0] : node.nodenum), el('span.quiet', ` ${node.hardwaretype}`)),
    el('ul.services', node.services.length === 0 && el('li.quiet', 'no services'),
      node.services.map((service) => el('li', {'data-hue': hue(service, services)}, service))),
    more && more(node));
}

// nodes are records of layouts; more(node) gives what else is shown of a machine.
export function layoutView(nodes, more) {
  const services = [...new Set(nodes.flatMap((node) => node.services))];
  const groups = nodes.length > EACH ? alike(nodes) : nodes.map((node) => [node]);

  return el('ul.layout', {'aria-label': `Layout: ${count(nodes.length, 'machine')}`},
    groups.map((group) => box(group[0], group.length, services, group.length === 1 ? more : undefined)));
}

// What is known of a machine of a cluster that exists: its health, its addresses, what enter(node) gives to log in to it, and what
// repair(observation) gives where it is not well. What was well is unknown where that was too long ago; what a person has stopped is no fault.
export function machineDetails(observations, isLongAgo, enter, repair) {
  return (node) => {
    const mine = observations.filter((one) => one.node === node.id), off = mine.filter((one) => one.answer !== 'healthy');
    const stopped = off.filter((one) => one.answer === 'unhealthy' && node.stopped?.includes(one.service));
    const bad = off.filter((one) => !stopped.includes(one));
    const state = bad.length > 0 ? bad[0].answer : mine.length === 0 || isLongAgo ? 'unknown' : stopped.length > 0 ? 'stopped' : 'healthy';
    const addresses = Object.entries(node.ipaddresses ?? {});

    return [el('div.machine-foot', badge(state), addresses.slice(0, 1).map(([, address]) => el('code', address)), enter(node)),
      off.map((one) => el('p', el(stopped.includes(one) ? 'span.quiet' : 'span.bad', `${one.service ?? 'machine'}: ${one.message ?? one.answer}`), ' ', repair(one, node)))];
  };
}
