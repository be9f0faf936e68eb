import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptAnswer, readPluginArgs } from './credentials.ts';
import { passFile, takeLock, writePass } from './pass-cache.ts';

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
  writePass(passFile({ HOME: home }, { origin: ORIGIN, credential, name }), {
    token: `pass-${credential}`,
    given: now,
    until,
  });
const ask = (more: { env?: object; parent?: number; later?: number } = {}) => {
  const { env = {}, parent = 7, later = 0 } = more;
  const answer = keptAnswer({ name: 'prod' }, { env: { HOME: home, ...env }, parent, now: now + later });
  return answer === undefined ? undefined : (JSON.parse(answer) as { apiVersion: string; status: { token: string } });
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

test('a kept pass is given until it is to be renewed, in the version that was asked for', () => {
  keep('first');

  expect(ask()).toMatchObject({ apiVersion: 'client.authentication.k8s.io/v1beta1', status: { token: 'pass-first' } });
  expect(ask({ env: CLIENT })).toMatchObject({ apiVersion: 'client.authentication.k8s.io/v1' });
  expect(ask({ later: 60 * MINUTE_MS })).toBeUndefined();
  expect(ask({ later: -MINUTE_MS })).toBeUndefined();
});

test('a pass belongs to one sign-in: who signs in again, or is signed in no more, gets none that was kept before', () => {
  keep('first');
  signIn('second');
  expect(ask()).toBeUndefined();

  keep('second');
  expect(ask()).toMatchObject({ status: { token: 'pass-second' } });
  rmSync(join(home, '.config', 'gatehouse', 'credentials.json'));
  expect(ask()).toBeUndefined();
});

test('a token for scripts has passes of its own, and is shown to no gateway but its own', () => {
  keep('first');
  keep('script');
  const env = { GATEHOUSE_TOKEN: 'script' };

  expect(ask({ env: { ...env, GATEHOUSE_ADDRESS: 'gate.example.com' } })).toMatchObject({
    status: { token: 'pass-script' },
  });
  const elsewhere = { HOME: home, ...env, GATEHOUSE_ADDRESS: 'https://other.example.com' };
  const answer = keptAnswer({ name: 'prod', gateway: ORIGIN }, { env: elsewhere, parent: 7, now });
  expect(answer).toContain('pass-first');
});

test('a client that asks again was refused with what it has, and gets another; others go on with it', () => {
  keep('first');
  expect(ask({ env: CLIENT })).toBeDefined();

  expect(ask({ env: CLIENT, later: MINUTE_MS })).toBeUndefined();
  expect(ask({ env: CLIENT, later: MINUTE_MS, parent: 8 })).toBeDefined();
  // A shell that runs it twice is no client, and one that never keeps anything asks the gateway now and then.
  expect(ask({ later: MINUTE_MS })).toBeDefined();
  keep('first');
  expect(ask({ env: CLIENT, later: 1_000 })).toBeDefined();
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
  expect(takeLock(file)).toBeUndefined();
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
