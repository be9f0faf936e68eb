import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { keptAnswer, readPluginArgs } from './credentials.ts';
import { keepPass, noteFailure, noteQuestion, passFile, takeLock } from './pass-cache.ts';

const ORIGIN = 'https://gate.example.com';
const MINUTE_MS = 60_000;
/** Nobody's: numbers of processes end far below. */
const NO_PROCESS = 2 ** 22 + 1;

let home: string;
let now: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gatehouse-plugin-'));
  now = Date.now();
  signIn('first');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function signIn(token: string) {
  const folder = join(home, '.config', 'gatehouse');
  mkdirSync(folder, { recursive: true });
  const profile = { current: ORIGIN, gateways: { [ORIGIN]: { user: 'ann', token, expires: '' } } };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(profile));
}
const keep = (credential: string, name = 'prod', until = now + 60 * MINUTE_MS) =>
  keepPass(passFile({ HOME: home }, { origin: ORIGIN, credential, name }), {
    token: `pass-${credential}`,
    given: now,
    until,
  });
const told: string[] = [];
const tell = (text: string) => void told.push(text);
const prod = (credential = 'first') => passFile({ HOME: home }, { origin: ORIGIN, credential, name: 'prod' });
const lockFile = () => prod().replace('.json', '.lock');
const ask = async (more: { env?: object; parent?: number; later?: number } = {}) => {
  const { env = {}, parent = 7, later = 0 } = more;
  const answer = await keptAnswer({ name: 'prod' }, { env: { HOME: home, ...env }, parent, now: now + later, tell });
  // As if whoever is to ask now were done with it.
  rmSync(lockFile(), { force: true });
  return typeof answer !== 'string'
    ? answer
    : (JSON.parse(answer) as { apiVersion: string; status: { token: string } });
};
/** As a client of Kubernetes says what it is. */
const CLIENT = {
  KUBERNETES_EXEC_INFO: '{"apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}',
};

test('what kubeconfig files say is understood; whatever else is typed goes the long way', () => {
  expect(readPluginArgs(['kube', 'credentials', '--gateway', ORIGIN, 'prod'])).toEqual({
    name: 'prod',
    gateway: ORIGIN,
  });
  expect(readPluginArgs(['kube', 'credentials', 'prod'])).toEqual({ name: 'prod' });
  for (const args of [
    'kube credentials',
    'kube credentials --help',
    'kube ls',
    'kube credentials a b',
    'kube credentials a b c d',
  ])
    expect(readPluginArgs(args.split(' '))).toBeUndefined();
});

test('a kept pass is given until it is to be renewed, in the version that was asked for', async () => {
  keep('first');

  expect(await ask()).toMatchObject({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    status: { token: 'pass-first' },
  });
  expect(await ask({ env: CLIENT })).toMatchObject({ apiVersion: 'client.authentication.k8s.io/v1' });
  expect(await ask({ later: 60 * MINUTE_MS })).toBeUndefined();
  expect(await ask({ later: -MINUTE_MS })).toBeUndefined();
});

test('a pass belongs to one sign-in: who signs in again, or is signed in no more, gets none that was kept before', async () => {
  keep('first');
  signIn('second');
  expect(await ask()).toBeUndefined();

  keep('second');
  expect(await ask()).toMatchObject({ status: { token: 'pass-second' } });
  rmSync(join(home, '.config', 'gatehouse', 'credentials.json'));
  expect(await ask()).toBeUndefined();
});

test('a token for scripts has passes of its own, and is shown to no gateway but its own', async () => {
  keep('first');
  keep('script');
  const env = { GATEHOUSE_TOKEN: 'script' };

  expect(await ask({ env: { ...env, GATEHOUSE_ADDRESS: 'gate.example.com' } })).toMatchObject({
    status: { token: 'pass-script' },
  });
  const elsewhere = { HOME: home, ...env, GATEHOUSE_ADDRESS: 'https://other.example.com' };
  const answer = await keptAnswer({ name: 'prod', gateway: ORIGIN }, { env: elsewhere, parent: 7, now, tell });
  expect(answer).toContain('pass-first');
});

test('a client that asks again was refused with what it has, and gets another; others go on with it', async () => {
  keep('first');
  expect(await ask({ env: CLIENT })).toBeDefined();

  expect(await ask({ env: CLIENT, later: MINUTE_MS })).toBeUndefined();
  expect(await ask({ env: CLIENT, later: MINUTE_MS, parent: 8 })).toBeDefined();
  // A shell that runs it twice is no client, and one that never keeps anything asks the gateway now and then.
  expect(await ask({ later: MINUTE_MS })).toBeDefined();
  keep('first');
  expect(await ask({ env: CLIENT, later: 1_000 })).toBeDefined();
});

test('files that hold passes are read by nobody else, and those of the past are swept', () => {
  keep('first', 'other');
  const old = passFile({ HOME: home }, { origin: ORIGIN, credential: 'first', name: 'other' });
  utimesSync(old, 0, 0);
  keep('first');
  const file = passFile({ HOME: home }, { origin: ORIGIN, credential: 'first', name: 'prod' });

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(old, { throwIfNoEntry: false })).toBeUndefined();
});

test('of those who want the lock one has it, and who was killed with it has it no more', () => {
  const file = passFile({ HOME: home }, { origin: ORIGIN, credential: 'first', name: 'prod' });
  const lock = takeLock(file);
  expect(lock).toBeDefined();
  // Who has it has it again: what began before the command line was loaded goes on there.
  expect(takeLock(file)).toBeDefined();
  lock?.release();

  writeFileSync(file.replace('.json', '.lock'), String(NO_PROCESS));
  const taken = takeLock(file);
  expect(taken).toBeDefined();
  taken?.release();
  // Its number may be another's by now: nobody asks for so long.
  writeFileSync(file.replace('.json', '.lock'), String(process.ppid));
  expect(takeLock(file)).toBeUndefined();
  utimesSync(file.replace('.json', '.lock'), 0, 0);
  expect(takeLock(file)).toBeDefined();
});

test('whoever finds another asking waits for it, and has what comes of it', async () => {
  // This process has the lock; those who ask stand for others.
  const held = (parent: number) => {
    writeFileSync(lockFile(), String(process.ppid));
    return keptAnswer({ name: 'prod' }, { env: { HOME: home }, parent, now, tell });
  };
  takeLock(prod())?.release();
  const waiting = Promise.all([held(1), held(2)]);
  keep('first');
  expect(await waiting).toEqual([expect.stringContaining('pass-first'), expect.stringContaining('pass-first')]);

  rmSync(prod());
  const vain = Promise.all([held(1), held(2)]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  noteFailure(prod(), { message: 'no gateway answers', code: 6 });
  expect(await vain).toEqual([1, 2].map(() => ({ message: 'no gateway answers', code: 6 })));
  // What failed before somebody came is none of theirs.
  rmSync(lockFile());
  expect(await ask()).toBeUndefined();
});

test('whoever waits shows what another asks somebody for, once, and nothing of one that is gone', async () => {
  told.length = 0;
  const waiting = (holder: number) => {
    takeLock(prod())?.release();
    noteQuestion(prod(), 'Open this and accept\n');
    writeFileSync(lockFile(), String(holder));
    return keptAnswer({ name: 'prod' }, { env: { HOME: home }, parent: 7, now, tell });
  };
  // The question is of this process, and another has the lock.
  const over = waiting(process.ppid);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(told).toEqual([]);
  writeFileSync(prod().replace('.json', '.question'), JSON.stringify({ text: 'Open this\n', by: process.ppid }));
  await vi.waitFor(() => expect(told).toEqual(['Open this\n']));
  await new Promise((resolve) => setTimeout(resolve, 60));
  keep('first');

  expect(await over).toContain('pass-first');
  expect(told).toEqual(['Open this\n']);
  expect(statSync(prod().replace('.json', '.question')).mode & 0o777).toBe(0o600);
});

test('a client whose question was denied is told so again and again, and neither a shell nor another client is', async () => {
  takeLock(prod())?.release();
  writeFileSync(lockFile(), String(process.ppid));
  const waiting = keptAnswer({ name: 'prod' }, { env: { HOME: home, ...CLIENT }, parent: 7, now, tell });
  await new Promise((resolve) => setTimeout(resolve, 60));
  noteFailure(prod(), { message: 'it was denied', code: 5, isAnswer: true });
  expect(await waiting).toMatchObject({ message: 'it was denied', code: 5 });
  rmSync(lockFile());

  for (let turn = 0; turn < 3; turn += 1)
    expect(await ask({ env: CLIENT })).toMatchObject({ message: 'it was denied', code: 5 });
  expect(await ask({ env: CLIENT, parent: 8 })).toBeUndefined();
  expect(await ask()).toBeUndefined();
  // By then it is another process.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * MINUTE_MS });
  onTestFinished(() => void vi.useRealTimers());
  expect(await ask({ env: CLIENT })).toBeUndefined();
});

test('where nothing can be kept each asks for itself', async () => {
  const env = { HOME: '/dev/null', GATEHOUSE_TOKEN: 'script', GATEHOUSE_ADDRESS: ORIGIN };

  expect(await keptAnswer({ name: 'prod' }, { env, parent: 7, now, tell })).toBeUndefined();
  expect(takeLock(passFile(env, { origin: ORIGIN, credential: 'script', name: 'prod' }))).toBeDefined();
});
