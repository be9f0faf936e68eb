/** Who has to be connected to a running gateway: agents, and clusters that trust each other; and where its events go. */
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { type Finding, fails, stands } from './check.ts';

const NAMED = 5;

export async function lookAtAgents(send: Send): Promise<Finding> {
  const agents = await call(send, agentRoutes.list, {});
  if (agents.length === 0) return stands('none has joined yet');
  const away = agents.filter(({ connected }) => !connected);
  if (away.length === 0) return stands(`${counted(agents.length, 'agent')} joined, all connected`);
  const names = away.map(({ name, lastSeen }) => `${name} (${lastSeen ? `last seen ${lastSeen}` : 'never seen'})`);
  return fails(
    `${away.length} of ${counted(agents.length, 'agent')} away: ${some(names)}`,
    `on that machine: systemctl status gatehouse-agent; one that is gone for good: gatehouse agents rm ${away[0]?.name}`,
  );
}

export async function lookAtClusters(send: Send): Promise<Finding> {
  const [leaves, roots] = await Promise.all([
    call(send, remoteClusterRoutes.list, {}),
    call(send, trustedClusterRoutes.list, {}),
  ]);
  const linked = [...leaves, ...roots.filter(({ status }) => status !== 'disabled')];
  if (linked.length === 0) return stands('none is linked with this one');
  const away = linked.filter(({ status }) => status !== 'online');
  if (away.length === 0) return stands(`${counted(linked.length, 'cluster')} linked, all online`);
  const names = away.map(({ name, status, trouble }) => `${name} is ${status}${trouble ? ` (${trouble})` : ''}`);
  return fails(some(names), 'look at the gateway of that cluster, there with: gatehouse doctor');
}

export async function lookAtEvents(send: Send): Promise<Finding> {
  const {
    queued,
    deadLetters,
    sinks,
    signing = '',
  } = await call(send, eventRoutes.state, {
    params: { clusterId: '-current-' },
  });
  const troubles = [
    signing && `the log is not signed any more: ${signing}`,
    deadLetters > 0 && `${counted(deadLetters, 'event')} refused by the store`,
    ...sinks.flatMap(({ name, error, behind }) =>
      error === '' ? [] : [`the sink ${name} does not take events, ${behind} behind: ${error}`],
    ),
  ].filter((trouble) => typeof trouble === 'string' && trouble !== '');
  if (troubles.length > 0) return fails(troubles.join('; '), 'gatehouse audit state tells more');
  const waiting = queued === 0 ? '' : `; ${counted(queued, 'event')} wait for the store`;
  return stands(
    `events are written${sinks.length === 0 ? '' : ` and sent to ${counted(sinks.length, 'sink')}`}${waiting}`,
  );
}

function some(words: readonly string[]): string {
  const more = words.length - NAMED;
  return `${words.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
