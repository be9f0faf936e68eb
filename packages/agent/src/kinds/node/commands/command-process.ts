/** A command without a terminal as a process of a user: three pipes, signals for its group, and an end. */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ExecExit } from '@gatehouse/contract/reach/agents/exec-frames';
import type { Person } from '../../../runtime/children/environment.ts';
import { hangUpGroup, type ProcessGroup, signalGroup } from '../../../runtime/children/process-group.ts';
import type { Launch } from '../login/launch.ts';
import type { PipeStock } from './open-pipes.ts';

export interface CommandProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Of the process that was started; what it started may live on and hold the pipes. */
  exited: Promise<Exclude<ExecExit, { reason: string }>>;
  signal(signal: NodeJS.Signals): void;
  /** Lets go of the pipes. */
  close(): void;
  /** Resolves when nothing of its group runs any more. */
  hangUp(): Promise<void>;
}

export interface CommandLaunchOptions {
  launch: Launch;
  person: Person;
  /** The first process waits for the command in our place, see runuser-words.ts. */
  isWatched: boolean;
  pipes: PipeStock;
}

export async function startCommandProcess({
  launch,
  person,
  isWatched,
  pipes,
}: CommandLaunchOptions): Promise<CommandProcess> {
  const { file, args, env, cwd } = launch;
  const { stdin, stdout, stderr, ends, closeEnds } = await pipes.take(person);
  const close = () => [stdin, stdout, stderr].forEach((pipe) => void pipe.destroy());
  for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => {});
  try {
    // A session and a group of its own: so it can be ended whole, and nobody who shares a terminal with root types into it.
    const child = spawn(file, args, { env, cwd, stdio: [...ends], detached: true });
    const { promise: exited, resolve } = Promise.withResolvers<Exclude<ExecExit, { reason: string }>>();
    let isReaped = false;
    child.once('exit', (code, signal) => {
      isReaped = true;
      resolve(signal === null ? { code: code ?? 0 } : { signal: signal.slice('SIG'.length), core: false });
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    const group: ProcessGroup = { id: child.pid ?? 0, isReaped: () => isReaped, isWatched };
    return {
      pid: group.id,
      stdin,
      stdout,
      stderr,
      exited,
      signal: (signal) => void signalGroup(group, signal),
      close,
      async hangUp() {
        close();
        await hangUpGroup(group);
      },
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    closeEnds();
  }
}
