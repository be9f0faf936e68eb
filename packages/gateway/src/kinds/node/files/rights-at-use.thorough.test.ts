/** Files in use: downloads, uploads, tickets and calls that were begun before a right was taken away, and go on after it. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { call } from '@gatehouse/contract/wire/client';
import { median, SOON_MS } from '@gatehouse/testkit/soon';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { serveEndlessFiles } from '../../../../testing/files/endless-files.ts';
import { openFiles } from '../../../../testing/files/files-client.ts';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../../testing/takeaways.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { writeAnnouncements } from '../../../inventory/announcement-store.ts';
import { putResources, type Resource, removeResource } from '../../../inventory/resource-store.ts';
import { FROZEN_AFTER_MS, LOST_AFTER_MS } from '../../../platform/change-feed/lost-store.ts';

/** How long each took to be over, in milliseconds. */
const took: number[] = [];

const DEV = '{allow: {logins: [ubuntu], node_labels: {env: dev}}}';
let gateway: IdentityGateway;
let admin: TestBrowser;
let agent: TestAgent;
let server: Resource;

const serveFiles: OnStream = (offered, { target }) => {
  const stream = offered.accept().on('error', () => {});
  if (target !== FILES_TARGET) return;
  serveEndlessFiles(stream);
};

beforeAll(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await makeRole(admin, 'dev', DEV);
  await makeTakeawayRoles(admin);
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
  server = {
    ...{ cluster: 'localhost', kind: 'node', id: joined.id, name: 'edge', labels: { env: 'dev' } },
    ...{ spec: { type: 'agent', hostname: 'edge' }, owner: joined.id, expires: undefined },
  };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [server], 0));
  agent = startAgent(joined, { url: tunnelUrl(gateway.app), onStream: serveFiles });
  await vi.waitFor(() => expect(gateway.connections.isConnected(joined.id)).toBe(true), { timeout: 5_000 });
});
afterAll(async () => {
  await agent.close({ drainMs: 0 });
  await gateway.close();
});

let people = 0;

/** Ends when the other side ends it. */
async function readOn(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (;;) if ((await reader.read()).done) return;
}

interface Person {
  name: string;
  browser: TestBrowser;
}

async function comes(roles: string[]): Promise<Person> {
  people += 1;
  const name = `person-${people}`;
  await gateway.addUser(name, { roles });
  const browser = gateway.browser({ address: `127.0.1.${people}` });
  await browser.signIn(name, PASSWORD);
  return { name, browser };
}

/** Copies in both directions, takes something away, and sees that nothing of it goes on. */
async function isCut({ browser }: Person, takeAway: () => Promise<unknown>): Promise<void> {
  const files = await openFiles(gateway.app, browser, { server: 'edge', login: 'ubuntu' });
  const download = (await files.read('/home/endless')).body?.getReader();
  if (!download) throw new Error('nothing is downloaded');
  await download.read();
  const { url } = await call(browser.send, fileRoutes.ticket, {
    params: files.params,
    body: { paths: ['/home/endless'] },
  });
  const sent = Promise.withResolvers<void>();
  const slowly = new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.alloc(1024));
      sent.resolve();
      return new Promise((resolve) => setTimeout(resolve, 50));
    },
  });
  const upload = files.write({ folder: '/home', name: 'up', upload: '00000000000000aa', size: 1e9 }, slowly).then(
    ({ status: code }) => code,
    () => 0,
  );
  await sent.promise;

  const began = performance.now();
  await takeAway();
  const ended = await Promise.all([
    readOn(download).then(
      () => 'whole',
      () => 'cut',
    ),
    upload,
  ]);

  took.push(performance.now() - began);
  expect(took.at(-1)).toBeLessThan(SOON_MS);
  expect(ended[0]).toBe('cut');
  expect([0, 403, 404]).toContain(ended[1]);
  await expect(files.list('/home')).rejects.toThrow();
  expect((await files.raw(url)).status).not.toBe(200);
}

test.each(TAKEAWAY_NAMES)('what is being copied is cut soon when %s, and nothing goes on', async (what) => {
  const person = await comes(['dev']);
  await isCut(person, () => TAKEAWAYS[what](admin, person.name, ['dev']));
});

test('a minute without the store cuts what is being copied; tickets and calls open nothing before', async () => {
  onTestFinished(() => gateway.beSilentFor(0));
  await gateway.addUser('copyist', { roles: ['dev'] });
  const browser = await gateway.signedIn('copyist');
  const files = await openFiles(gateway.app, browser, { server: 'edge', login: 'ubuntu' });
  const { url } = await call(browser.send, fileRoutes.ticket, {
    params: files.params,
    body: { paths: ['/home/endless'] },
  });
  const download = (await files.read('/home/endless')).body?.getReader();
  if (!download) throw new Error('nothing is downloaded');

  gateway.beSilentFor(LOST_AFTER_MS + 1);
  await expect(files.list('/home')).rejects.toThrow('lost its database');
  expect((await files.raw(url)).status).toBe(503);
  expect((await download.read()).done).toBe(false);
  gateway.beSilentFor(FROZEN_AFTER_MS + 1);
  await expect(readOn(download)).rejects.toThrow();

  gateway.beSilentFor(0);
  const again = await openFiles(gateway.app, browser, { server: 'edge', login: 'ubuntu' });
  const reader = (await again.read('/home/endless')).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
});

test('what is being copied is cut soon when the role it stands on runs out', async () => {
  const expires = new Date(gateway.clock.now + 60_000).toISOString();
  const content = `kind: role\nversion: v6\nmetadata: {name: brief, expires: "${expires}"}\nspec: ${DEV}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });

  await isCut(await comes(['brief']), async () => gateway.clock.advance(61_000));
});

const put = (labels: Record<string, string>) =>
  gateway.storage.db.transaction().execute((tx) => putResources(tx, [{ ...server, labels }], 0));

test('what is being copied is cut soon when its server gets labels that no role reaches', async () => {
  await isCut(await comes(['dev']), () => put({ env: 'prod' }));
});

test('what is being copied is cut soon when its server is removed', async () => {
  const { db } = gateway.storage;
  await put({ env: 'dev' });
  const expires = gateway.clock.now + 600_000;
  // Its agent is here and offers it no more; of one that is away nothing would be known.
  const here = { owner: server.owner, holder: 'test', digest: 'none', expires };
  await db.transaction().execute((tx) => writeAnnouncements(tx, [here]));

  await isCut(await comes(['dev']), () => db.transaction().execute((tx) => removeResource(tx, server)));
});

test('what is taken away is over within two seconds', () => {
  expect(took.length).toBeGreaterThan(5);
  expect(median(took)).toBeLessThan(2_000);
});
