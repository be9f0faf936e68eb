import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentReport, REPORT_BYTES, type ReportTaken } from '@gatehouse/contract/reach/agents/report';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import { beforeEach, expect, test, vi } from 'vitest';
import { streamPair } from '../../testing/stream-pair.ts';
import { ownUser } from '../kinds/node/login/find-user.ts';
import { findDescriptorCloser } from '../runtime/children/without-descriptors.ts';
import { silentLog } from '../runtime/log.ts';
import { firstLineOf, runLabelCommands } from './label-commands.ts';
import { createOffers } from './offers.ts';
import { serveReport } from './serve-report.ts';

const IDENTITY = { agentId: 'a-1', cluster: 'prod', name: 'web-1', labels: { env: 'prod' }, tokenDigest: '' };
let folder: string;
beforeEach(() => {
  const own = mkdtempSync(join(tmpdir(), 'gatehouse-report-'));
  folder = own;
  return () => rmSync(own, { recursive: true, force: true });
});

function offering(config: object = {}) {
  return createOffers({
    config: {
      ...{ labels: { env: 'dev', team: 'web' }, logins: undefined, shell: true, apps: [] },
      ...{ databases: [], databaseMatch: [], kubernetes: [], desktops: { static: [] } },
      ...config,
    },
    identity: () => IDENTITY,
    found: () => [],
  });
}

async function heard(stream: Duplex) {
  const { value } = await readMessage(stream, agentReport, { maxBytes: REPORT_BYTES });
  return value;
}

function take(stream: Duplex, seq: number, answer: Partial<ReportTaken> = {}): Promise<unknown> {
  return writeMessage(stream, { type: 'taken', seq, nextMs: 60_000, refused: [], ...answer });
}

test('a report comes at once, then a sign of life, and a change without waiting', async () => {
  const [near, far] = streamPair();
  const offers = offering();
  void serveReport({ stream: far, offers, log: silentLog, togetherMs: 10 });

  expect(await heard(near)).toMatchObject({
    type: 'report',
    seq: 1,
    resources: [
      {
        kind: 'node',
        id: 'a-1',
        name: 'web-1',
        labels: { env: 'prod', team: 'web' },
        spec: { type: 'agent', hostname: expect.any(String), os: expect.stringMatching(/./), arch: process.arch },
      },
    ],
  });
  await take(near, 1, { nextMs: 1_000 });
  expect(await heard(near)).toEqual({ type: 'alive', seq: 2 });
  await take(near, 2);
  offers.setFound({ load: '1' });
  offers.setFound({ load: '2' });

  expect(await heard(near)).toMatchObject({ type: 'report', seq: 3, resources: [{ labels: { load: '2' } }] });
  near.destroy();
});

test('a change while the gateway still thinks is told after its answer', async () => {
  const [near, far] = streamPair();
  const offers = offering();
  void serveReport({ stream: far, offers, log: silentLog, togetherMs: 10 });
  await heard(near);
  offers.setFound({ load: '1' });
  await take(near, 1);

  expect(await heard(near)).toMatchObject({ type: 'report', seq: 2, resources: [{ labels: { load: '1' } }] });
  near.destroy();
});

test('what the gateway refuses is told to the operator once', async () => {
  const [near, far] = streamPair();
  const warn = vi.fn();
  void serveReport({ stream: far, offers: offering(), log: { ...silentLog, warn }, togetherMs: 10 });
  const refused = [{ kind: 'node', name: 'web-1', reason: 'its name is taken' }];

  await heard(near);
  await take(near, 1, { nextMs: 1_000, refused });
  await heard(near);
  await take(near, 2, { refused });
  await sleep(20);

  expect(warn).toHaveBeenCalledOnce();
  expect(warn).toHaveBeenCalledWith(refused[0], 'the gateway refused what this agent offers');
  near.destroy();
});

test('an answer to something else, or a stop, ends the reporting', async () => {
  const [near, far] = streamPair();
  const reporting = serveReport({ stream: far, offers: offering(), log: silentLog });
  await heard(near);
  await take(near, 7);
  await reporting;

  const [near2, far2] = streamPair();
  const stop = new AbortController();
  const second = serveReport({ stream: far2, offers: offering(), log: silentLog, signal: stop.signal });
  await heard(near2);
  stop.abort();
  await second;
});

test('an agent without shells offers no server, and one that is not root only its own login', () => {
  expect(offering({ shell: false }).current()).toEqual([]);
  const [node] = offering({ logins: ['deploy'] }).current();

  expect(node?.spec).toMatchObject({ logins: process.getuid?.() === 0 ? ['deploy'] : [ownUser().name] });
});

async function labelled(commands: Record<string, { command: string[]; period: number }>) {
  const seen: Record<string, string>[] = [];
  const warn = vi.fn();
  const running = runLabelCommands({
    commands,
    closer: await findDescriptorCloser(),
    onChange: (values) => seen.push(values),
    log: { ...silentLog, warn },
  });
  await running.first;
  return { seen, warn, stop: () => running.stop() };
}

test('a command gives its first line, again after each period, in an environment of its own', async () => {
  const file = join(folder, 'value');
  writeFileSync(file, 'one\nmore\n');
  process.env.GATEHOUSE_AGENT_TOKEN = 'leaked';

  const { seen, stop } = await labelled({
    value: { command: ['cat', file], period: 1_000 },
    env: { command: ['sh', '-c', 'env | cut -d= -f1 | sort | tr "\\n" ,'], period: 60_000 },
  });
  delete process.env.GATEHOUSE_AGENT_TOKEN;
  expect(seen.at(-1)?.value).toBe('one');
  expect(
    seen
      .at(-1)
      ?.env?.split(',')
      .filter((name) => !['HOME', 'LANG', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name)),
  ).toEqual([]);
  writeFileSync(file, 'two\n');

  await vi.waitFor(() => expect(seen.at(-1)?.value).toBe('two'), { timeout: 10_000 });
  stop();
});

test.concurrent.each([
  ['fails', ['sh', '-c', 'echo new; exit 3'], /ended with 3/],
  ['is not there', ['/no/such/program'], /ended with 127/],
  ['prints nonsense', ['printf', 'a\\033[31mb'], /control characters/],
  ['prints without end', ['yes'], /more than 64 KiB|took longer/],
])('a command that %s gives no value, and its operator is told once', async (_, command, reason) => {
  const { seen, warn, stop } = await labelled({ x: { command, period: 1_000 } });
  await sleep(2_200);
  stop();

  expect(seen).toEqual([]);
  expect(warn).toHaveBeenCalledOnce();
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ label: 'x', reason: expect.stringMatching(reason) });
});

test('a command that fails later keeps its last value; one that hangs is killed with what it started', async () => {
  const file = join(folder, 'value');
  writeFileSync(file, 'good\n');
  const { seen, warn, stop } = await labelled({ x: { command: ['cat', file], period: 1_000 } });
  rmSync(file);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), { timeout: 10_000 });
  stop();
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ kept: 'good' });
  expect(seen).toEqual([{ x: 'good' }]);

  const mark = join(folder, 'pid');
  const hanging = await labelled({
    y: { command: ['sh', '-c', `sleep 100 & echo $! > ${mark}; wait`], period: 1_000 },
  });
  hanging.stop();
  const pid = Number(readFileSync(mark, 'utf8'));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
  expect(hanging.warn.mock.calls[0]?.[0]).toMatchObject({ reason: 'it took longer than 1 s' });
});

/** One that was killed may wait for its parent to look. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('an agent that was told to stop before a report began does not begin it', async () => {
  const [, far] = streamPair();

  await serveReport({ stream: far, offers: offering(), log: silentLog, signal: AbortSignal.abort() });

  expect(far.destroyed).toBe(true);
});

test('a command of a label that begins when the agent was told to stop is ended', async () => {
  const ended = firstLineOf(['sleep', '60'], undefined, 60_000, AbortSignal.abort());

  await expect(ended).rejects.toThrow('the agent is stopping');
});
