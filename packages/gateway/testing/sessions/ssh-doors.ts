/** The SSH door of a gateway in a test, and real programs that come to it with a certificate of somebody's. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Send } from '@gatehouse/contract/wire/client';
import { onTestFinished } from 'vitest';
import type { IdentityGateway } from '../identity-gateway.ts';
import { doorFiles } from './ssh-files.ts';

const TIMEOUT_MS = 60_000;

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface DoorClient {
  dir: string;
  port: number;
  serial: string;
  /** With the configuration that leads through the door. */
  config: string;
  run: typeof runProgram;
  /** `ssh -F CONFIG …`. */
  ssh(...args: string[]): Promise<Ran>;
  start(program: string, args: readonly string[]): ChildProcess;
  close(): void;
}

export async function openSshDoor(gateway: IdentityGateway): Promise<number> {
  await gateway.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  return gateway.sshDoor.port() ?? 0;
}

export interface RunOptions {
  input?: string | Buffer;
  cwd?: string;
  env?: Record<string, string>;
}

export function runProgram(
  program: string,
  args: readonly string[],
  { input, cwd, env }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      {
        ...{ timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
        ...(cwd ? { cwd } : {}),
        ...(env ? { env: { ...process.env, ...env } } : {}),
      },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        resolve({ code, stdout: String(stdout), stderr: String(stderr) });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

export async function doorClient(port: number, who: { send: Send }): Promise<DoorClient> {
  const { dir, config, serial } = await doorFiles(port, who);
  const children = new Set<ChildProcess>();
  const client: DoorClient = {
    ...{ dir, port, config, serial, run: runProgram },
    ssh: (...args) => runProgram('ssh', ['-F', config, ...args]),
    start(program, args) {
      const child = spawn(program, [...args], { stdio: 'pipe' });
      children.add(child);
      return child;
    },
    close() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
  onTestFinished(() => client.close());
  return client;
}
