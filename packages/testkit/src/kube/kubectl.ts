/** Drives a real kubectl in tests: to its end, or as long as something it prints is waited for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubectlVersion, kubectlProgram } from './kubeconfig.ts';

/** It starts, asks for what there is and only then prints: seconds of a processor, which others want too. */
const PRINTS_WITHIN_MS = 60_000;

export interface KubectlResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunningKubectl {
  child: ChildProcess;
  /** Resolves with everything printed so far, once it contains `text`; rejects with it if kubectl ends before. */
  prints(text: string): Promise<string>;
  type(text: string): void;
  ended: Promise<KubectlResult>;
  stop(): Promise<void>;
}

export interface Kubectl {
  version: KubectlVersion;
  run(args: readonly string[], input?: string | Buffer): Promise<KubectlResult>;
  /** What it prints; throws with what it complains of where it fails. */
  must(args: readonly string[], input?: string | Buffer): Promise<string>;
  start(args: readonly string[]): RunningKubectl;
  /** On a terminal of its own, with this size. */
  startOnTerminal(args: readonly string[], columns: number, rows: number): RunningKubectl;
  /** The folder with its configuration and its cache: nothing of the machine's own is read or written. */
  folder: string;
  remove(): void;
}

/** Variables are added to an environment without any that kubectl reads. */
export function createKubectl(
  version: KubectlVersion,
  kubeconfig: string,
  env: Readonly<Record<string, string>> = {},
): Kubectl {
  const program = kubectlProgram(version);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-kubectl-'));
  const config = join(folder, 'config');
  writeFileSync(config, kubeconfig, { mode: 0o600 });
  const common = ['--kubeconfig', config, '--cache-dir', join(folder, 'cache')];
  const clean = { PATH: process.env.PATH ?? '', HOME: folder, KUBECTL_PORT_FORWARD_WEBSOCKETS: 'true', ...env };
  const begin = (file: string, args: readonly string[]) => track(spawn(file, args, { env: clean, cwd: folder }));
  const start = (args: readonly string[]) => begin(program, [...common, ...args]);
  const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const run = async (args: readonly string[], input: string | Buffer = '') => {
    const { child, ended } = start(args);
    child.stdin?.end(input);
    return await ended;
  };
  return {
    version,
    folder,
    run,
    async must(args, input) {
      const { code, stdout, stderr } = await run(args, input);
      if (code !== 0) throw new Error(`kubectl ${version} ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
      return stdout;
    },
    start,
    startOnTerminal: (args, columns, rows) =>
      begin('script', [
        '-qefc',
        `stty cols ${columns} rows ${rows}; exec ${quoted([program, ...common, ...args])}`,
        '/dev/null',
      ]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function track(child: ChildProcess): RunningKubectl {
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  const heard = () => {
    for (const look of [...waiting]) look();
  };
  child.stdout?.on('data', (bytes: Buffer) => {
    stdout += bytes.toString();
    heard();
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
    heard();
  });
  child.stdin?.on('error', () => {});
  let isOver = false;
  const ended = new Promise<KubectlResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      isOver = true;
      resolve({ code: code ?? -1, stdout, stderr });
      heard();
    });
  });
  return {
    child,
    ended,
    type: (text) => void child.stdin?.write(text),
    prints: (text) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => finish(`has not printed ${JSON.stringify(text)}`), PRINTS_WITHIN_MS);
        const finish = (failure?: string) => {
          clearTimeout(late);
          waiting.delete(look);
          if (failure === undefined) resolve(stdout + stderr);
          else reject(new Error(`kubectl ${failure}: ${stdout}${stderr}`));
        };
        const look = () => {
          if ((stdout + stderr).includes(text)) finish();
          else if (isOver) finish(`ended without printing ${JSON.stringify(text)}`);
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      if (isOver) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
