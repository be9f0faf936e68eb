/** The command on the gateway's own machine, for tests: one folder is the gateway's data, the home of whoever types, and where they stand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveLocalSocket } from '@gatehouse/gateway/doors/local-socket/serve-local-socket';
import { localDoor } from '@gatehouse/gateway/platform/http/local-door';
import type { TestGateway } from '@gatehouse/gateway/testing/start-test-gateway';
import { runProgram } from '../src/program.ts';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, in the order they were written: what a terminal shows. */
  printed: string;
}

interface Circumstances {
  env?: Record<string, string | undefined>;
  onStderr?: (text: string) => void;
  /** What somebody at the terminal answers, one line a question; without it nobody sits there. */
  typed?: string[];
}

export interface CommandLine<World> {
  folder: string;
  world: World;
  run(args: readonly string[], circumstances?: Circumstances): Promise<Run>;
  /** Asks the gateway in the folder. */
  local(...args: string[]): Promise<Run>;
  /** The same as a program reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is what the tests are about
  json(...args: string[]): Promise<any>;
  /** From now on nothing answers in the folder. */
  closeDoor(): Promise<void>;
  /** Ends the gateway too. */
  close(): Promise<void>;
}

type AnyWorld = { close(): Promise<void> } & (Pick<TestGateway, 'app'> | { gateway: Pick<TestGateway, 'app'> });

export async function startCommandLine<World extends AnyWorld>(
  startWorld: (folder: string) => Promise<World>,
): Promise<CommandLine<World>> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  const world = await startWorld(folder);
  const { app } = 'gateway' in world ? world.gateway : world;
  const socket = await serveLocalSocket({ dataDir: folder, handler: localDoor(app) });

  async function run(args: readonly string[], { env, onStderr, typed }: Circumstances = {}): Promise<Run> {
    const result = { code: 0, stdout: '', stderr: '', printed: '' };
    result.code = await runProgram(args, {
      stdout: (text) => {
        result.stdout += text;
        result.printed += text;
      },
      stderr: (text) => {
        result.stderr += text;
        result.printed += text;
        onStderr?.(text);
      },
      env: { HOME: folder, ...env },
      cwd: folder,
      ...(typed ? { ask: async () => typed.shift() ?? '', askSecret: async () => typed.shift() ?? '' } : {}),
    });
    return result;
  }
  const local = (...args: string[]) => run([...args, '--data-dir', folder]);

  return {
    folder,
    world,
    run,
    local,
    json: async (...args) => JSON.parse((await local(...args, '--format', 'json')).stdout),
    closeDoor: () => socket.close(),
    async close() {
      await socket.close();
      await world.close();
      // What a recorder leaves may go while the folder does.
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
