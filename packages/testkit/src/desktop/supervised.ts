/** A shell that holds servers for a test: the end of its input is the end of them, however the test ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const START_TIMEOUT_MS = 120_000;
const STARTED = 'started';
const TURN = 'turn';

export interface Supervised {
  /** What it printed before it was ready, line by line. */
  lines: readonly string[];
  stop(): Promise<void>;
}

export interface SuperviseOptions {
  /** How long its servers may take to start. */
  withinMs?: number;
  /** How long the script may wait for servers of other tests first: it prints `turn` when its own can start. */
  turnMs?: number;
}

/** Runs until the script prints `started`, which it does when its servers run. It must wait for the end of its input then. */
export async function supervise(
  script: string,
  args: readonly string[],
  { withinMs = START_TIMEOUT_MS, turnMs }: SuperviseOptions = {},
): Promise<Supervised> {
  // Its own group, so that Ctrl-C in a terminal reaches the tests first.
  const child = spawn('sh', ['-c', script, 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const lines = await readiness(child, withinMs, turnMs);
  letGo(child);
  return { lines, stop: () => stopped(child) };
}

function readiness(child: ChildProcess, withinMs: number, turnMs?: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    let waits = turnMs !== undefined;
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.stdin?.end();
      reject(new Error(`a desktop for tests did not start: ${why}\n${out}${err}`));
    };
    let timer = setTimeout(() => fail(waits ? 'its turn did not come' : 'it took too long'), turnMs ?? withinMs);
    child.stderr?.on('data', (piece: Buffer) => {
      err = (err + piece.toString()).slice(-8_000);
    });
    child.stdout?.on('data', (piece: Buffer) => {
      out += piece.toString();
      const lines = out.split('\n');
      if (waits && lines.includes(TURN)) {
        waits = false;
        clearTimeout(timer);
        timer = setTimeout(() => fail('it took too long'), withinMs);
      }
      if (!lines.includes(STARTED)) return;
      clearTimeout(timer);
      resolve(lines.slice(0, lines.indexOf(STARTED)));
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`its shell ended with ${code}`));
  });
}

/** A test run that forgets to stop it must still be able to end. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exited = once(child, 'exit');
  child.stdin?.end();
  await exited;
}
