import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call } from '@gatehouse/contract/wire/client';
import { openSigner } from '@gatehouse/gateway/evidence/audit-log/signing';
import { writeCheckpoint } from '@gatehouse/gateway/evidence/audit-log/write-checkpoints';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let gateway: IdentityGateway;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  gateway = line.world;
  for (const name of ['ann', 'bob', '=cmd']) {
    await gateway.addUser(name);
    await gateway.signedIn(name);
  }
});
afterEach(() => line.close());

const run = (...args: string[]) => line.local('audit', ...args);

async function signCheckpoint() {
  const { storage, clock, secrets, app } = gateway;
  const { db } = storage;
  const signer = await openSigner(db, secrets, clock.now);
  const deps = { db, signer, clusterName: 'localhost', log: app.log, now: () => clock.now };
  await db.transaction().execute((tx) => writeCheckpoint(tx, deps));
}

/** Takes key, checkpoint and export out of the gateway, as somebody would who does not trust it later. */
async function takeOut() {
  await signCheckpoint();
  writeFileSync(join(line.folder, 'audit.pem'), (await run('key')).stdout);
  writeFileSync(join(line.folder, 'checkpoint.json'), (await run('checkpoint')).stdout);
  writeFileSync(join(line.folder, 'events.jsonl'), (await run('export')).stdout);
  return ['--key', 'audit.pem', '--checkpoint', 'checkpoint.json'];
}

test('an export is one event a line, and a table whose cells are no formulas', async () => {
  const lines = (await run('export')).stdout.trimEnd().split('\n');
  const csv = (await run('export', '--as', 'csv', '--user', '=cmd')).stdout;

  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'user.login', user: 'ann', gatehouse: { index: 1 } });
  expect(csv.split('\r\n')).toHaveLength(3);
  expect(csv).toContain(`"'=cmd"`);
});

test('what strangers wrote into the log steers no terminal, in no form, and is proven all the same', async () => {
  const stranger = gateway.browser();
  await stranger.signIn('\u001b]0;x\u0007\u009b31m\u2028\u202e\u200b', 'wrong').catch(() => undefined);
  const trusted = await takeOut();

  for (const form of ['jsonl', 'csv', 'lines']) {
    const { stdout } = await run('export', '--as', form);
    expect([form, /[^\x20-\x7e\r\n\ufeff…·→“”]/u.exec(stdout)?.[0]]).toEqual([form, undefined]);
  }
  expect((await run('verify', '--file', 'events.jsonl', ...trusted)).stdout).toContain('4 events are as they were');
});

test('the tail prints what happens from now on', async () => {
  // A sign-out takes no time; a sign-in may take longer than somebody looks.
  const ann = await gateway.signedIn('ann');
  const tailing = run('tail', '--for', '6s', '--user', 'ann');
  // What happens before it asked where the log ends is none of what it prints.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await call(ann.send, signInRoutes.signOut, {});

  expect((await tailing).stdout).toMatch(/^\S+ {2}info {5}GH100I {3}.*ann.*\n$/);
});

test('an intact log verifies: by the gateway, from it, and from an export alone', async () => {
  const trusted = await takeOut();

  const there = await run('verify');
  const from = await run('verify', ...trusted);
  await gateway.signedIn('bob');
  const longer = await run('verify', ...trusted);
  const file = await run('verify', '--file', 'events.jsonl', ...trusted);

  expect([there.code, from.code, longer.code, file.code]).toEqual([0, 0, 0, 0]);
  expect(file.stdout).toBe(
    '3 events are as they were written, held against checkpoint 1 of 2026-01-01T00:00:00.000Z\n',
  );
  // Checking the log is in the log itself, and so is who came after.
  expect(longer.stdout).toContain('5 events');
});

test('a gateway whose log was changed is found out from outside', async () => {
  const trusted = await takeOut();
  await gateway.storage.db.deleteFrom('event').where('chain_index', '=', 2).execute();

  const [there, here] = [await run('verify', '--format', 'json'), await run('verify', ...trusted)];

  expect(here).toMatchObject({ code: 1, stderr: "gatehouse: event 2 of chain 'gateway' is missing\n" });
  expect(JSON.parse(there.stderr || there.stdout)).toMatchObject({ error: { problem: { index: 2 } } });
});

test('a changed export names the event', async () => {
  const trusted = await takeOut();
  const file = join(line.folder, 'events.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"user":"bob"', '"user":"eve"'));

  const { code, stderr } = await run('verify', '--file', 'events.jsonl', ...trusted);

  expect([code, stderr]).toEqual([1, "gatehouse: event 2 of chain 'gateway' was changed after it was written\n"]);
});

test.each([
  [['verify', '--file', 'nowhere.jsonl'], 2, 'cannot be read'],
  [['verify', '--file', 'x', '--checkpoint', 'nowhere.json'], 2, 'is not there'],
  [['export', '--from', 'soon'], 2, 'is no time'],
  [['checkpoint'], 4, 'nothing was signed yet'],
])('%j says what is wrong', async (args, code, words) => {
  const result = await run(...args);

  expect(result.code).toBe(code);
  expect(result.stderr).toContain(words);
});

test('the state of the log tells that it is signed, and that nothing waits', async () => {
  const { code, stdout } = await run('state');

  expect([code, stdout]).toEqual([0, 'events are kept for ever\nthe log is signed\n']);
  expect(JSON.parse((await run('state', '--format', 'json')).stdout)).toMatchObject({ signing: '', memoryLost: '' });
});
