/** Starts the real gateway the way a user does, in a data folder of its own, and ends it again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
const START_TIMEOUT_MS = 150_000;

export interface GatewayProcess {
  /** Where people go: http://localhost:PORT/web */
  url: string;
  origin: string;
  dataDir: string;
  /** Of the process that runs now. */
  pid(): number;
  /** Everything it printed so far. */
  output(): string;
  /** Runs `./gatehouse …` against this gateway and gives back what it printed. */
  command(...args: string[]): Promise<CommandResult>;
  /** Kills it without warning. */
  crash(): Promise<void>;
  /** Starts it again on the same port and data. */
  startAgain(): Promise<void>;
  /** Kills it without warning and starts it again on the same port and data. */
  crashAndRestart(): Promise<void>;
  /** Tells it to stop, and starts it again likewise. */
  restart(): Promise<void>;
  /** Sends it signals so many milliseconds apart; gives its exit code, or undefined when it still runs after a while. */
  end(
    signals: readonly NodeJS.Signals[],
    options: { apartMs?: number; withinMs: number },
  ): Promise<ProcessEnd | undefined>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ProcessEnd {
  code: number | null;
  /** From the first signal on. */
  tookMs: number;
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export async function startGateway(settings: Record<string, string> = {}): Promise<GatewayProcess> {
  const dataDir = settings.GATEHOUSE_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'gatehouse-e2e-'));
  const port = await freePort();
  const env = {
    ...cleanEnvironment(),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LISTEN: `127.0.0.1:${port}`,
    ...settings,
  };
  let output = '';
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    const started = spawn(join(ROOT, 'gatehouse'), ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    await ready(started, (text) => {
      output += text;
    });
    return started;
  }

  return {
    url: `http://localhost:${port}/web`,
    origin: `http://localhost:${port}`,
    dataDir,
    pid: () => child.pid ?? 0,
    output: () => output,
    command: (...args) => runCommand(join(ROOT, 'gatehouse'), args, env),
    async crash() {
      await ended(child, 'SIGKILL');
    },
    async startAgain() {
      child = await launch();
    },
    async crashAndRestart() {
      await ended(child, 'SIGKILL');
      child = await launch();
    },
    async restart() {
      await ended(child, 'SIGTERM');
      child = await launch();
    },
    async end(signals, { apartMs = 1_000, withinMs }) {
      const began = performance.now();
      // Not its exit: what it said last may still be on its way then.
      const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
      void (async () => {
        for (const signal of signals) {
          child.kill(signal);
          await sleep(apartMs);
        }
      })();
      const late = new AbortController();
      const code = await Promise.race([exited, sleep(withinMs, undefined, { signal: late.signal }).catch(() => null)]);
      late.abort();
      return code === undefined ? undefined : { code, tookMs: performance.now() - began };
    },
    async start() {
      child = await launch();
    },
    async stop() {
      await ended(child, 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Resolves when the ready line is printed; rejects with everything printed when the program ends or is silent. */
export function ready(
  child: ChildProcess,
  onText: (text: string) => void = () => {},
  timeoutMs = START_TIMEOUT_MS,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why: string) => reject(new Error(`${why}; it printed:\n${text}`));
    const timer = setTimeout(() => fail(`not ready after ${timeoutMs} ms`), timeoutMs);
    const read = (chunk: Buffer) => {
      text += chunk;
      onText(String(chunk));
      const url = /ready at (https?:\/\/\S+)/.exec(text)?.[1];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}

export function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}

export function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

/** The environment of somebody who just logged in: no settings of ours, and the system's own Node. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|npm_|NODE_|VITEST|VITE)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: path.join(':') };
}
