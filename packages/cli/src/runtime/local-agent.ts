/**
 * The agent of the gateway's own machine, so that a new user has a first server at once. A process of its own: a gateway that
 * is killed leaves it and its shells alive, and the next one takes it over. It ends with a clean stop, or alone after a while.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { factsOf, MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../command.ts';
import { exitCode } from './exit-codes.ts';

export const LOCAL_AGENT_FOLDER = 'local-agent';
export const LOCAL_AGENT_LOG = 'agent.log';
const MAX_LOG_BYTES = 5 * 1024 * 1024;
/** Read when it is there: labels, logins, what may be dialled. */
const CONFIG_NAME = 'agent.yaml';
const ALONE = '5m';
const TOKEN_TTL_SECONDS = 600;
const LOOK_EVERY_MS = 10_000;
const STOP_MS = 10_000;
/** An agent that cannot start is not tried for ever. */
const MAX_STARTS = 5;
/** What its own environment may hold of ours: it must not inherit settings of the gateway. */
const CARRIED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'NODE_COMPILE_CACHE'];

type ProcessNotes = typeof import('@gatehouse/agent/identity/process-note');
type Write = (fields: object, message: string) => void;

export interface LocalAgentOptions {
  io: Pick<Io, 'env'>;
  dataDir: string;
  /** Where it dials the gateway. */
  address: LocalAddress;
  /** To the gateway, as its owner. */
  send: Send;
  log: { info: Write; warn: Write };
}

export interface LocalAddress {
  origin: string;
  /** File with the authority of its certificate, where the system does not know it. */
  ca?: string;
}

export interface LocalAgent {
  /** By force when it does not end within the time, or within its own. */
  stop(withinMs?: number): Promise<void>;
}

/** Never throws: a gateway without a server of its own is still a gateway. */
export async function startLocalAgent(options: LocalAgentOptions): Promise<LocalAgent> {
  const { dataDir, address, log } = options;
  const folder = join(dataDir, LOCAL_AGENT_FOLDER);
  const notes = await import('@gatehouse/agent/identity/process-note');
  const stopping = new AbortController();

  const found = notes.runningAgent(folder);
  if (found && found.gateway !== address.origin) await stopAgent(notes, folder);
  else if (found) log.info({ pid: found.pid }, 'the agent of this machine still runs');

  const supervising = supervise(options, folder, notes, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted)
      log.warn({ error, log: join(folder, LOCAL_AGENT_LOG) }, 'this machine has no agent of its own');
  });
  return {
    async stop(withinMs = STOP_MS) {
      stopping.abort();
      await supervising;
      await stopAgent(notes, folder, Math.min(withinMs, STOP_MS));
    },
  };
}

/** Where a process on the same machine reaches a gateway with this configuration. */
export function localAddress(
  { listen, publicAddr, tls, dataDir }: LocalConfig,
  url: string,
  authorityFile: (dataDir: string) => string,
): LocalAddress {
  const port = publicAddr ? listen.port : Number(new URL(url).port);
  const isNear = ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::'].includes(listen.host) && port > 0;
  const ca = tls.mode === 'self-made' ? { ca: authorityFile(dataDir) } : {};
  // A certificate from elsewhere is for the gateway's public name, and seldom for this machine's own.
  if (!isNear || tls.mode === 'files') return { origin: new URL(url).origin, ...ca };
  return { origin: `${tls.mode === 'off' ? 'http' : 'https'}://localhost:${port}`, ...ca };
}

interface LocalConfig {
  dataDir: string;
  listen: { host: string; port: number };
  publicAddr?: object;
  tls: { mode: 'off' | 'files' | 'self-made' };
}

/** Starts it when it is not there, now and whenever it is found missing. */
async function supervise(
  options: LocalAgentOptions,
  folder: string,
  notes: ProcessNotes,
  signal: AbortSignal,
): Promise<void> {
  const { log, send } = options;
  let needsToken = !notes.hasJoined(folder);
  let name: string | undefined;
  for (let starts = 0; starts < MAX_STARTS && !signal.aborted; ) {
    if (notes.runningAgent(folder)) {
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false });
      continue;
    }
    starts += 1;
    const child = launch(options, folder, { token: needsToken ? await newToken(send) : undefined, name });
    log.info({ pid: child.pid, log: join(folder, LOCAL_AGENT_LOG) }, 'the agent of this machine was started');
    const code = await exitOf(child, signal);
    if (signal.aborted) return;
    // The gateway has forgotten it, or the store is a new one.
    if (code === exitCode('denied')) needsToken = true;
    else if (code === exitCode('conflict') && !notes.runningAgent(folder)) name = await localName();
    else await sleep(1_000 * 2 ** starts, undefined, { signal, ref: false });
  }
  if (!signal.aborted) throw new Error(`it was started ${MAX_STARTS} times and did not stay`);
}

function launch(
  { io, address }: LocalAgentOptions,
  folder: string,
  { token, name }: { token: string | undefined; name: string | undefined },
): ChildProcess {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const carried = CARRIED.flatMap((key) => (io.env[key] === undefined ? [] : [[key, io.env[key]]]));
  const config = join(folder, CONFIG_NAME);
  const args = [
    ...[process.argv[1] ?? '', 'agent', '--gateway', address.origin, '--data-dir', folder, '--end-when-alone', ALONE],
    ...(address.ca ? ['--ca', address.ca] : []),
    ...(name ? ['--name', name] : []),
    ...(existsSync(config) ? ['--config', config] : []),
  ];
  const log = openLog(join(folder, LOCAL_AGENT_LOG));
  try {
    const child = spawn(process.execPath, args, {
      // Its own session: neither the terminal's Ctrl-C nor the end of this process reaches it.
      detached: true,
      stdio: ['ignore', log, log],
      cwd: folder,
      // Not on the command line, which every user of the machine can read.
      env: { ...Object.fromEntries(carried), ...(token ? { GATEHOUSE_AGENT_TOKEN: token } : {}) },
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** The one before is kept beside it. */
function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

async function newToken(send: Send): Promise<string> {
  const body = { roles: [factsOf(MACHINE_KIND).joinRole], ttlSeconds: TOKEN_TTL_SECONDS, uses: 1 };
  return (await call(send, joinTokenRoutes.create, { body })).id;
}

/** Another server has the name of this machine. */
async function localName(): Promise<string> {
  const [{ nameFrom }, { hostname }] = await Promise.all([
    import('@gatehouse/agent/kinds/node/machine-name'),
    import('node:os'),
  ]);
  return `${nameFrom(hostname()).slice(0, 240)}-local`;
}

function exitOf(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', () => resolve(null));
    whenAborted(signal, () => resolve(null));
  });
}

async function stopAgent(notes: ProcessNotes, folder: string, withinMs = STOP_MS): Promise<void> {
  const running = notes.runningAgent(folder);
  if (!running) return;
  const deadline = performance.now() + withinMs;
  kill(running.pid, 'SIGTERM');
  while (notes.runningAgent(folder)?.pid === running.pid) {
    await sleep(50);
    if (performance.now() > deadline) return kill(running.pid, 'SIGKILL');
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
