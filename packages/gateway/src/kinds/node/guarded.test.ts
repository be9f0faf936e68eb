/** Whatever dials a server asks reach: none of it gets to where clouds give out credentials, or to the gateway itself. */
import { expect, test } from 'vitest';
import type { Resource } from '../../inventory/resource-store.ts';
import { createReach } from '../../reach/create-reach.ts';
import { createNodeConnections } from './connect-node.ts';
import { nodeTarget } from './node-target.ts';

const OWN_PORT = 3080;
const who = { user: 'ann', session: 's' };

function connectionsTo(addresses: string[]) {
  const asked: string[] = [];
  const agents = {
    isConnected: () => true,
    ping: async () => asked.push('ping'),
    open: async () => asked.push('open') as never,
  };
  const own = { ownPorts: () => [OWN_PORT], isUnderBase: (host: string) => host === 'gate.example' };
  const reach = createReach({ agents, own, lookup: async () => addresses });
  const states = { answered() {}, failed() {} };
  const mint = async (): Promise<never> => {
    throw new Error('a certificate was made for it');
  };
  const connections = createNodeConnections({
    ...{ db: {} as never, audit: {} as never, states: states as never, now: Date.now },
    ...{ reach, authorities: { mint } },
  });
  return { asked, connections, reach };
}

function server(addr: string, through?: string): Resource {
  const spec = {
    type: 'openssh',
    hostname: 'web',
    addr,
    hostKeys: [],
    ownMachine: true,
    ...(through ? { through } : {}),
  };
  return { cluster: 'c', kind: 'node', id: 'n', name: 'web', labels: {}, spec, owner: '', expires: undefined };
}

test.each([
  ['by an address', server('169.254.169.254:22'), []],
  ['by an address in another notation', server('[::ffff:a9fe:a9fe]:22'), []],
  ['by a name that leads there', server('web.example:22'), ['10.0.0.5', '169.254.169.254']],
  ['by an address, through an agent', server('169.254.169.254:22', 'a1'), []],
  ['to the gateway by its machine', server(`web.example:${OWN_PORT}`), ['127.0.0.1']],
  ['to the gateway by its name', server(`gate.example:${OWN_PORT}`), ['192.0.2.1']],
  ['to the gateway by its name, through an agent', server(`gate.example:${OWN_PORT}`, 'a1'), []],
])('a server entered %s is not dialled for sessions, files, tests or its host key', async (_, resource, addresses) => {
  const { asked, connections, reach } = connectionsTo(addresses);
  const denied = { code: 'denied' };

  // Terminals and files sign in by this.
  await expect(connections.connect({ resource, login: 'root', who })).rejects.toMatchObject(denied);
  await expect(connections.scanHostKeys(resource, { who })).rejects.toMatchObject(denied);
  // Tests of connections find the way first; looks in the background dial.
  await expect(reach.way(nodeTarget(resource), { who })).rejects.toMatchObject(denied);
  await expect(reach.dial(nodeTarget(resource), { who })).rejects.toMatchObject(denied);
  expect(asked).toEqual([]);
});
