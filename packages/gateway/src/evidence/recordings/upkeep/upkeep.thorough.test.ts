/** What is recorded of real terminals, by role and cluster, and who may know: through the gateway's own calls. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingUpkeepRoutes as routes } from '@gatehouse/contract/recordings/recording-upkeep';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recordedItems } from '../../../../testing/recordings/recorded-output.ts';
import { type ShellWorld, startShellWorld } from '../../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { STANDARD_RECORDINGS } from '../open-recordings.ts';

const params = { clusterId: '-current-' };

async function newWorld(options: Parameters<typeof startShellWorld>[0] = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-recorded-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const world = await startShellWorld({ dataDir, ...options });
  onTestFinished(() => world.close());
  return { ...world, dataDir, pathOf: (sid: string) => join(dataDir, 'recordings', `${sid}.rec`) };
}

function open({ gateway }: ShellWorld, as: TestBrowser) {
  const client = connectTerminal(tabOf(gateway.app, as), opening('edge', 'ubuntu'));
  onTestFinished(() => client.cut());
  return client;
}

async function runSession(world: ShellWorld, as = world.ann, text = 'ls -l\r'): Promise<string> {
  const client = open(world, as);
  const { sid } = await client.state;
  client.type(text);
  await client.until(new RegExp(text.slice(0, 2)));
  client.type('exit');
  await client.told('ended');
  return sid;
}

const coverageFor = (browser: TestBrowser) => call(browser.send, routes.coverage, { params });

async function signInWith({ gateway, makeRole }: ShellWorld, name: string, spec: string): Promise<TestBrowser> {
  await makeRole(`role-${name}`, spec);
  await gateway.addUser(name, { roles: [`role-${name}`] });
  return await gateway.signedIn(name);
}
const REACH = 'logins: [ubuntu], node_labels: {env: dev}';

test('a session is recorded, proven, counted, and given away to those who may, each time told in the log', async () => {
  const world = await newWorld();
  const auditor = await signInWith(world, 'eve', '{allow: {rules: [{resources: [session], verbs: [list, read]}]}}');
  const sid = await runSession(world);
  await vi.waitFor(async () =>
    expect(await coverageFor(auditor)).toMatchObject({ sessions: 1, recorded: 1, gaps: [] }),
  );

  expect(await call(auditor.send, routes.verify, { params: { ...params, sid } })).toMatchObject({ sid, ok: true });
  const cast = await auditor.send({ method: 'GET', url: pathFor(routes.asciicast.path, { ...params, sid }) });
  expect(cast.status).toBe(200);
  expect(cast.text.split('\n')[0]).toContain('"version":2');
  expect(cast.text).toContain('ls -l');
  const codes = (await world.gateway.events()).filter(({ user }) => user === 'eve').map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['T2012I', 'GH310I']));
});

test('who has no right sees neither recording nor count, by whatever id', async () => {
  const world = await newWorld();
  const stranger = await signInWith(world, 'mallory', `{allow: {${REACH}}}`);
  const lister = await signInWith(world, 'carl', '{allow: {rules: [{resources: [session], verbs: [list]}]}}');
  const sid = await runSession(world);
  await vi.waitFor(async () => expect(await coverageFor(lister)).toMatchObject({ sessions: 1 }));

  expect(await coverageFor(stranger)).toMatchObject({ sessions: 0, recorded: 0, gaps: [] });
  const paths = [routes.verify.path, routes.asciicast.path, routes.file.path];
  for (const path of paths) {
    const url = pathFor(path, { ...params, sid });
    const status = async (browser: Pick<TestBrowser, 'send'>, address = url) =>
      (await browser.send({ method: 'GET', url: address })).status;
    expect(await status(stranger)).toBe(404);
    expect(await status(lister)).toBe(403);
    expect(await status({ send: world.gateway.send })).toBe(403);
    for (const trick of [`${url}.json`, `${url}/`, url.replace(sid, `${sid}.rec`), url.replace(sid, `..%2f${sid}`)])
      expect(await status(stranger, trick)).toBe(404);
  }
  const prune = await stranger.send({
    method: 'POST',
    url: pathFor(routes.prune.path, params),
    body: JSON.stringify({ dryRun: true }),
  });
  expect(prune.status).toBe(403);
});

test('a role or the cluster turns recording off; one role that does not is enough to have it', async () => {
  const world = await newWorld();
  const off = await signInWith(world, 'otto', `{options: {record_session: {ssh: "off"}}, allow: {${REACH}}}`);
  const sid = await runSession(world, off);
  await vi.waitFor(async () =>
    expect((await world.gateway.storage.db.selectFrom('recording').selectAll().execute())[0]).toMatchObject({
      sid,
      state: 'disabled',
      reason: 'a role turns it off',
    }),
  );
  expect((await world.gateway.events()).filter(({ code }) => code === 'T2000I')).toMatchObject([
    { data: { session_recording: 'off' } },
  ]);
  await world.gateway.addUser('otto2', { roles: ['role-otto', 'dev'] });
  const both = await runSession(world, await world.gateway.signedIn('otto2'));
  await expect.poll(async () => (await recordedItems(world.pathOf(both))).length).toBeGreaterThan(2);

  const cluster = await newWorld({ recordings: { ...STANDARD_RECORDINGS, mode: 'off' } });
  const third = await runSession(cluster);
  await vi.waitFor(async () =>
    expect(await cluster.gateway.storage.db.selectFrom('recording').selectAll().execute()).toMatchObject([
      { sid: third, state: 'disabled', reason: 'it is turned off for this cluster' },
    ]),
  );
});

test('where it cannot be recorded, strict lets nobody in, and best effort goes on and says so', async () => {
  const world = await newWorld();
  const strict = await signInWith(world, 'stella', `{options: {record_session: {ssh: strict}}, allow: {${REACH}}}`);
  const auditor = await signInWith(world, 'eve', '{allow: {rules: [{resources: [session], verbs: [list, read]}]}}');
  rmSync(join(world.dataDir, 'recordings'), { recursive: true, force: true });
  writeFileSync(join(world.dataDir, 'recordings'), 'in the way');

  const refused = open(world, strict);
  refused.state.catch(() => {});
  expect(await refused.told('refused')).toMatchObject({ message: expect.stringContaining('cannot be recorded') });
  const client = open(world, world.ann);
  const state = await client.state;
  expect(state.recorded).toBe(false);
  client.type('exit');
  await client.told('ended');
  await vi.waitFor(async () =>
    expect((await coverageFor(auditor)).gaps.map(({ user, cause }) => [user, cause]).sort()).toEqual([
      ['ann', 'failed'],
      ['stella', 'failed'],
    ]),
  );
});

test('what is typed is recorded only where a role says so, and not while the terminal hides it', async () => {
  const world = await newWorld();
  const typist = await signInWith(world, 'tina', `{options: {record_session: {input: true}}, allow: {${REACH}}}`);
  const plain = await runSession(world);
  const typed = open(world, typist);
  const { sid } = await typed.state;
  typed.type('shown ');
  await typed.until(/shown/);
  world.gateway.clock.advance(2_000);
  await vi.waitFor(async () => expect(await inputOf(world.pathOf(sid))).toBe('shown '), 4_000);
  await setEcho(world, typed, false);
  typed.type('secret');
  await typed.until(/secret/);
  world.gateway.clock.advance(2_000);
  await setEcho(world, typed, true);
  typed.type('exit');
  await typed.told('ended');

  expect(await inputOf(world.pathOf(plain))).toBe('');
  await vi.waitFor(async () => expect(await inputOf(world.pathOf(sid))).not.toContain('secret'));
});

/** What is printed comes after it on the same way: who sees that is told of the echo before. */
async function setEcho(world: ShellWorld, client: TerminalClient, shown: boolean): Promise<void> {
  const shell = world.fakes.last();
  shell.echo(shown);
  shell.print(`echo: ${shown}\r\n`);
  await client.until(new RegExp(`echo: ${shown}`));
}

async function inputOf(path: string): Promise<string> {
  const items = await recordedItems(path).catch(() => []);
  return items.map((item) => (item.type === 'input' ? String(item.bytes) : '')).join('');
}
