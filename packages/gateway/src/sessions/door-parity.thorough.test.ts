/** Every door to a server holds the same controls: what the terminal of the console refuses, no other way in gives. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PASSWORD } from '../../testing/identity-gateway.ts';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../testing/takeaways.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { decodeEnvelope } from '../doors/terminal/compat/envelope.ts';

let world: ShellWorld;
beforeAll(async () => {
  world = await startShellWorld();
  await makeTakeawayRoles(world.admin);
});
afterAll(() => world.close());

type Verdict = 'in' | 'refused';
type Door = (who: TestBrowser, server?: string) => Promise<Verdict>;

/** Where nobody is let in, the agent is not even asked; where somebody is, it was, whatever it said. */
const DOORS: Record<string, Door> = {
  async terminal(who, server = 'edge') {
    const client = connectTerminal(tabOf(world.gateway.app, who), opening(server, 'ubuntu'));
    onTestFinished(() => client.cut());
    return await outcome(client.closed, () => client.replies.some(({ type }) => type === 'refused' || type === 'flow'));
  },
  async 'socket of the reference'(who, server = 'edge') {
    const { port } = world.gateway.app.server.address() as AddressInfo;
    const params = encodeURIComponent(JSON.stringify({ login: 'ubuntu', server_id: server, term: { h: 24, w: 80 } }));
    const { headers } = tabOf(world.gateway.app, who);
    const path = `/v1/webapi/sites/localhost/connect?access_token=${who.bearer}&params=${params}`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    onTestFinished(() => socket.on('error', () => {}).terminate());
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => void heard.push(String(decodeEnvelope(data)?.payload)));
    socket.on('error', () => {});
    const over = Promise.race([once(socket, 'close'), once(socket, 'unexpected-response')]);
    return await outcome(over, () => heard.some((text) => text.includes('must join as moderator')));
  },
  files: (who, server = 'edge') =>
    called(() =>
      call(who.send, fileRoutes.open, { params: { clusterId: 'localhost' }, body: { server, login: 'ubuntu' } }),
    ),
  'copy call of the reference': (who, server = 'edge') =>
    called(async () => {
      const path = `/v1/webapi/sites/localhost/nodes/${encodeURIComponent(server)}/ubuntu/scp?location=%2Fetc%2Fhosts`;
      const { status, text } = await who.send({ method: 'GET', url: path });
      if (status >= 400) throw Object.assign(new Error(text), { status });
    }),
};
const DOOR_NAMES = Object.keys(DOORS);

async function outcome(over: Promise<unknown>, isHeld: () => boolean): Promise<Verdict> {
  const before = world.fakes.shells.size;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await vi.waitFor(() => expect(isOver || isHeld() || world.fakes.shells.size > before).toBe(true), { timeout: 5_000 });
  return world.fakes.shells.size > before ? 'in' : 'refused';
}

/** The agent in memory has no files: whoever is let in hears that from it. */
async function called(ask: () => Promise<unknown>): Promise<Verdict> {
  const error = await ask().then(
    () => undefined,
    (thrown: { status: number }) => thrown,
  );
  return error === undefined || error.status >= 500 ? 'in' : 'refused';
}

let people = 0;
async function somebody(): Promise<{ name: string; browser: TestBrowser }> {
  people += 1;
  const name = `person-${people}`;
  await world.gateway.addUser(name, { roles: ['dev'] });
  const browser = world.gateway.browser({ address: `127.0.2.${people}` });
  await browser.signIn(name, PASSWORD);
  return { name, browser };
}

test.each(DOOR_NAMES)('by the %s somebody gets in, so that the refusals below mean something', async (door) => {
  const { browser } = await somebody();

  expect(await DOORS[door]?.(browser)).toBe('in');
});

test.each(DOOR_NAMES.flatMap((door) => TAKEAWAY_NAMES.map((what) => [door, what] as const)))(
  'by the %s nobody gets in after %s',
  async (door, what) => {
    const { name, browser } = await somebody();
    await TAKEAWAYS[what](world.admin, name, ['dev']);
    await world.gateway.settled();

    expect(await DOORS[door]?.(browser)).toBe('refused');
  },
);

const ADDRESSES = ['127.0.0.1', '127.0.0.1:22', '[::1]:22', 'ubuntu@127.0.0.1', 'ssh://127.0.0.1', 'other.example:22'];

test.each(DOOR_NAMES)('by the %s a server is named, and an address leads nowhere', async (door) => {
  const { browser } = await somebody();

  for (const address of ADDRESSES)
    expect([address, await DOORS[door]?.(browser, address)]).toEqual([address, 'refused']);
});
