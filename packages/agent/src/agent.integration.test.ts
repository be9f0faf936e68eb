/** The whole agent against a gateway that comes and goes: real tunnel, real shells, and once as the process a user starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentReport, REPORT_BYTES, REPORT_TARGET } from '@gatehouse/contract/reach/agents/report';
import {
  FILES_TARGET,
  LOGIN_ANSWER_BYTES,
  LOGIN_TARGET,
  loginAnswer,
  SHELL_TARGET,
} from '@gatehouse/contract/reach/agents/targets';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeGateway, startFakeGateway } from '../testing/fake-gateway.ts';
import { type ShellClient, type ShellClientOptions, shellClient, WRITER } from '../testing/shell-client.ts';
import { readAgentConfig } from './config/agent-config.ts';
import { runningAgent } from './identity/process-note.ts';
import { ownUser } from './kinds/node/login/find-user.ts';
import { type Agent, startAgent } from './main.ts';
import { silentLog } from './runtime/log.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const QUICK = { baseMs: 10, capMs: 50 };
const login = ownUser().name;
let folder: string;
let gateway: FakeGateway;
let agent: Agent | undefined;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  gateway = await startFakeGateway();
});
afterEach(async () => {
  await agent?.stop('the test is over');
  agent = undefined;
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  child = undefined;
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(given: object = {}): Promise<Tunnel> {
  const config = readAgentConfig(
    { gateway: gateway.url, token: 't', dataDir: folder, name: 'web-1', ...given },
    {},
    '/',
  );
  agent = await startAgent(config, { log: silentLog, env: {}, backOff: QUICK });
  return await gateway.tunnel();
}

interface Wanted extends ShellClientOptions {
  from?: number;
  command?: string;
}

async function attach(tunnel: Tunnel, { from = 0, command, ...options }: Wanted = {}): Promise<ShellClient> {
  const stream = await tunnel.open(SHELL_TARGET, {
    metadata: {
      session: 'survivor',
      user: 'tester',
      login,
      from: String(from),
      graceMs: '60000',
      cols: '80',
      rows: '24',
      term: 'xterm',
      ...(command === undefined ? {} : { command }),
    },
  });
  return shellClient(stream, options);
}

/** The gateway is cut off and another comes up in its place. */
async function loseGateway(): Promise<Tunnel> {
  const { port } = gateway;
  await gateway.close();
  gateway = await startFakeGateway({ port });
  return await gateway.tunnel();
}

test('what a shell prints arrives whole through twenty losses of the gateway', async () => {
  let tunnel = await begin();
  // Until all of them are over, however long a machine takes for them: who attaches to a shell that has ended begins another.
  const enough = join(folder, 'enough');
  const command = `i=0; while [ $i -lt 3000 -o ! -e ${enough} ]; do i=$((i+1)); echo "line $i of a counter that goes on"; [ $((i % 50)) -eq 0 ] && sleep 0.02; done; echo "$i in all"; exit 5`;
  const parts: Buffer[] = [];
  let from = 0;
  for (let loss = 0; loss < 20; loss++) {
    const client = await attach(tunnel, { from, command, keeps: loss % 2 === 0 });
    await sleep(40);
    tunnel = await loseGateway();
    await client.closed;
    parts.push(client.output());
    from += client.output().length;
  }
  writeFileSync(enough, '');
  const last = await attach(tunnel, { from });
  expect(await last.exit).toEqual({ code: 5 });
  parts.push(last.output());

  const printed = Buffer.concat(parts).toString();
  const count = Number(/(\d+) in all\r\n$/.exec(printed)?.[1]);
  const lines = Array.from({ length: count }, (_, at) => `line ${at + 1} of a counter that goes on\r\n`);
  expect(count).toBeGreaterThanOrEqual(3_000);
  expect(printed === `${lines.join('')}${count} in all\r\n`).toBe(true);
});

test('what is typed arrives once and in order through ten losses, though it is sent again each time', async () => {
  let tunnel = await begin();
  const size = 20_000;
  const command = `stty raw -echo; echo ready; head -c ${size} | sha256sum; exit 0`;
  const input = Buffer.from(Array.from({ length: size }, (_, at) => 33 + ((at * 7) % 90)));
  let client = await attach(tunnel, { command });
  await client.until(/ready/);
  for (let loss = 0; loss < 10; loss++) {
    const { taken } = await client.state;
    const at = Math.max(0, (taken[WRITER] ?? 0) - 500);
    client.send({ type: 'input', writer: WRITER, offset: at, bytes: input.subarray(at, at + 2_500) });
    await sleep(15);
    tunnel = await loseGateway();
    client = await attach(tunnel);
  }
  const { taken } = await client.state;
  const at = taken[WRITER] ?? 0;
  client.send({ type: 'input', writer: WRITER, offset: at, bytes: input.subarray(at) });

  expect((await client.exit)?.code).toBe(0);
  expect(client.text()).toContain(createHash('sha256').update(input).digest('hex'));
});

test('a gateway asks who may log in, and is told why not', async () => {
  const tunnel = await begin();
  const ask = async (who: string) => {
    const stream = await tunnel.open(LOGIN_TARGET, { metadata: { session: 's', user: 'u', login: who } });
    return (await readMessage(stream, loginAnswer, { maxBytes: LOGIN_ANSWER_BYTES })).value;
  };

  expect(await ask(login)).toEqual({ ok: true, reason: '' });
  expect(await ask('no-such-user')).toEqual({ ok: false, reason: expect.stringMatching(/no user|run it as root/) });
});

test('only what the configuration allows is dialled, and unknown targets are refused', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = join(folder, 'agent.yaml');
  writeFileSync(config, `allow: ["127.0.0.1:${port}"]\n`, { mode: 0o600 });
  const tunnel = await begin({ config });
  const metadata = { session: 's', user: 'u' };

  expect(await text(await tunnel.open(`tcp:127.0.0.1:${port}`, { metadata }))).toBe('hello');
  await expect(tunnel.open('tcp:127.0.0.1:22', { metadata })).rejects.toThrow(
    `this agent may not dial 127.0.0.1:22: add it to 'allow' in ${config}`,
  );
  await expect(tunnel.open('nonsense', { metadata })).rejects.toThrow("this agent knows no target 'nonsense'");
  await expect(tunnel.open(SHELL_TARGET, { metadata })).rejects.toThrow("'from'");
  server.close();
});

test('a gateway gets the files of a user by SFTP, and not those of nobody', async () => {
  const tunnel = await begin();
  const metadata = { session: 's', user: 'u', login };
  const stream = await tunnel.open(FILES_TARGET, { metadata });
  // A greeting of version 3, and the answer to it.
  stream.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
  const [answer] = (await once(stream, 'data')) as [Buffer];

  expect([...answer.subarray(4, 9)]).toEqual([2, 0, 0, 0, 3]);
  stream.destroy();
  await expect(tunnel.open(FILES_TARGET, { metadata: { ...metadata, login: 'no-such-user' } })).rejects.toThrow(
    /no user|run it as root/,
  );
});

test('an agent that offers no shell reports no server and starts none', async () => {
  const config = join(folder, 'agent.yaml');
  writeFileSync(config, 'shell: false\n', { mode: 0o600 });
  const tunnel = await begin({ config });
  const report = await tunnel.open(REPORT_TARGET);
  const { value } = await readMessage(report, agentReport, { maxBytes: REPORT_BYTES });
  await writeMessage(report, { type: 'taken', seq: value.seq, nextMs: 60_000 });

  expect(value).toEqual({ type: 'report', seq: 1, resources: [], databaseMatch: [] });
  await expect(attach(tunnel)).rejects.toThrow('this agent offers no shell');
  await expect(tunnel.open(FILES_TARGET, { metadata: { session: 's', user: 'u', login } })).rejects.toThrow(
    'this agent offers no shell',
  );
});

test('an agent that was let in forgets its token: one its gateway has forgotten ends, and joins again when it is started with one', async () => {
  let known = true;
  const authorize = () =>
    known
      ? { accept: true as const }
      : { accept: false as const, code: 'unknown_agent' as const, reason: 'who are you', retry: false };
  await gateway.close();
  gateway = await startFakeGateway({ authorize });
  await begin();
  const { port } = gateway;
  known = false;
  await gateway.close();
  gateway = await startFakeGateway({ port, authorize });
  await expect(agent?.ended).rejects.toThrow(expect.objectContaining({ kind: 'denied' }));
  expect(gateway.joins).toEqual([]);

  const again = readAgentConfig({ gateway: gateway.url, dataDir: folder, token: 't', name: 'web-1' }, {}, '/');
  agent = await startAgent(again, { log: silentLog, env: {}, backOff: QUICK });
  await expect.poll(() => gateway.joins.length, { timeout: 5_000 }).toBeGreaterThan(0);
  known = true;
  await gateway.tunnel();
  await agent.stop('next');

  known = false;
  const config = readAgentConfig({ gateway: gateway.url, dataDir: folder }, {}, '/');
  agent = await startAgent(config, { log: silentLog, env: {}, backOff: QUICK });
  await expect(agent.ended).rejects.toThrow(
    expect.objectContaining({ kind: 'denied', message: expect.stringContaining('who are you') }),
  );
  expect(runningAgent(folder)).toBeUndefined();
});

test('without a gateway for too long it ends by itself, when told so', async () => {
  await begin();
  await agent?.stop('next');
  await gateway.close();

  const config = readAgentConfig({ gateway: gateway.url, dataDir: folder }, {}, '/');
  agent = await startAgent(config, { log: silentLog, env: {}, backOff: QUICK, aloneMs: 300 });
  await agent.ended;
  gateway = await startFakeGateway();
});

async function startProcess(...args: string[]): Promise<{ output: () => string; told: () => string }> {
  const started = spawn(join(ROOT, 'gatehouse'), ['agent', '--gateway', gateway.url, '--data-dir', folder, ...args], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let output = '';
  let told = '';
  started.stdout.on('data', (chunk) => {
    output += chunk;
  });
  started.stderr.on('data', (chunk) => {
    told += chunk;
  });
  await expect.poll(() => output, { timeout: 20_000 }).toContain('\n');
  return { output: () => output, told: () => told };
}

test('as a process it says one line, leaves with a goodbye, and starts again without its token', async () => {
  const first = await startProcess('--token', 't', '--name', 'web-1', '--labels', 'a=b');
  expect(first.output()).toBe(`agent web-1 is connected to ${gateway.url}\n`);
  expect(gateway.joins).toMatchObject([{ token: 't', name: 'web-1', nonce: 'n', audience: new URL(gateway.url).host }]);
  const tunnel = await gateway.tunnel();
  expect(runningAgent(folder)).toMatchObject({ pid: child?.pid, gateway: gateway.url });

  const exited = once(child as ChildProcess, 'exit');
  child?.kill('SIGTERM');
  expect(await tunnel.closed).toMatchObject({ code: 'closed_by_peer', reason: 'the agent was stopped (SIGTERM)' });
  expect(await exited).toEqual([0, null]);

  const second = await startProcess('--format', 'json');
  expect(JSON.parse(second.output())).toEqual({
    connected: true,
    name: 'web-1',
    agentId: 'agent-1',
    cluster: 'test',
    gateway: gateway.url,
  });
  expect(gateway.joins).toHaveLength(1);
});

test('one that cannot join yet ends when it is told to', async () => {
  const deaf = createServer(() => {}).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const address = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
  child = spawn(join(ROOT, 'gatehouse'), ['agent', '--gateway', address, '--data-dir', folder, '--token', 't'], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: 'ignore',
  });
  await expect.poll(() => runningAgent(folder)?.pid, { timeout: 20_000 }).toBe(child.pid);

  child.kill('SIGTERM');

  expect(await once(child, 'exit')).toEqual([1, null]);
  deaf.close();
});

test('its shells end with it: told before it stops, and hung up on when it is killed', async () => {
  await startProcess('--token', 't');
  const told = await attach(await gateway.tunnel());
  const { pid } = await told.state;
  const exited = once(child as ChildProcess, 'exit');
  child?.kill('SIGTERM');
  expect(await told.exit).toMatchObject({ reason: 'the agent was stopped (SIGTERM)' });
  await exited;
  expect(existsSync(`/proc/${pid}`)).toBe(false);

  await startProcess();
  const killed = await attach(await gateway.tunnel());
  const { pid: second } = await killed.state;
  child?.kill('SIGKILL');
  expect(await killed.exit).toBeUndefined();
  await expect.poll(() => existsSync(`/proc/${second}`), { timeout: 5_000 }).toBe(false);
});

test('without a terminal it logs JSON, and what people read when it is told to', async () => {
  // Not its exit: half a line may still be on its way then.
  const first = await startProcess('--token', 't', '--name', 'web-1');
  child?.kill('SIGTERM');
  await once(child as ChildProcess, 'close');
  const second = await startProcess('--log-format', 'pretty');
  child?.kill('SIGTERM');
  await once(child as ChildProcess, 'close');

  const lines = first.told().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'info', time: expect.any(String), msg: expect.any(String) }),
    ]),
  );
  expect(second.told()).toMatch(/^\S+Z (info|warn) [a-z]/);
});
