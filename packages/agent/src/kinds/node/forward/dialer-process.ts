/** The process that connects for one user's forwards, for as long as it is used. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { type Person, userEnvironment } from '../../../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import { type DialRequest, dialAnswer } from './dial-messages.ts';

const START_MS = 15_000;
/** Longer than it tries itself, each of a few addresses. */
const ANSWER_MS = 35_000;
const MAX_WORDS = 2_000;

export interface DialerProcess {
  pid: number | undefined;
  /** Rejects with the system's code as message. */
  dial(to: DialRequest['to'], signal: AbortSignal): Promise<Socket>;
  /** Of connections it is still asked for. */
  readonly pending: number;
  readonly ended: Promise<void>;
  end(): void;
}

export interface DialerLaunch {
  person: Person;
  closer: WithoutDescriptors;
  language: string;
}

/** Resolves once it is the user's; rejects with its own words otherwise. */
export async function startDialer({ person, closer, language }: DialerLaunch): Promise<DialerProcess> {
  const { name, uid, gid } = person;
  const as = process.getuid?.() === 0 ? ['--as', name, String(uid), String(gid)] : [];
  // Whose process it is may send it signals: that one would let them into it, and from there speak to the agent.
  const { file, args } = closer(process.execPath, ['--disable-sigusr1', dialerProgram(), ...as]);
  // The channel has to be among those three that are not closed on the way.
  const child = spawn(file, args, {
    env: userEnvironment(person, language),
    cwd: '/',
    stdio: ['ipc', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    await ready(child);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return talkTo(child, ended);
}

function talkTo(child: ChildProcess, ended: Promise<void>): DialerProcess {
  const waiting = new Map<number, { resolve(socket: Socket): void; reject(error: Error): void }>();
  let lastId = 0;
  const kill = () => void child.kill('SIGKILL');
  child.on('error', kill);
  child.on('message', (message, socket) => {
    const answer = dialAnswer.safeParse(message).data;
    const asked = answer && waiting.get(answer.id);
    if (answer) waiting.delete(answer.id);
    if (answer && asked && socket instanceof Socket) {
      socket.on('error', () => {});
      // Not kept on the way: each direction ends by itself.
      socket.allowHalfOpen = true;
      asked.resolve(socket);
      return;
    }
    if (socket instanceof Socket) socket.destroy();
    if (answer) asked?.reject(new Error(answer.failure ?? 'no connection came'));
    else kill();
  });
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the process that connects has ended'));
    waiting.clear();
  });
  return {
    pid: child.pid,
    ended,
    get pending() {
      return waiting.size;
    },
    dial(to, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      const id = ++lastId;
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const forget = whenAborted(within, () => {
        // Still waited for: a socket that comes later has to be closed.
        waiting.set(id, { resolve: (socket) => void socket.destroy(), reject: () => {} });
        reject(new Error('no answer in time'));
      });
      const settled = promise.finally(forget);
      settled.catch(() => {});
      if (!within.aborted) {
        waiting.set(id, { resolve, reject });
        if (!child.connected) reject(new Error('the process that connects has ended'));
        else child.send({ id, to } satisfies DialRequest, (error) => error && reject(error));
      }
      return settled;
    },
    end() {
      if (child.connected) child.disconnect();
      else kill();
    },
  };
}

/** Beside this file, as a source or as a bundle. */
function dialerProgram(): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./forward-dialer.${ending}`, import.meta.url));
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (words: string) => {
      clearTimeout(timer);
      reject(new Error(text.trim().split('\n').at(-1) || words));
    };
    const timer = setTimeout(() => fail('it did not begin in time'), START_MS);
    child.once('error', (error) => fail(error.message));
    child.once('exit', () => fail('it ended at once'));
    child.stderr?.on('error', () => {});
    child.stderr?.on('data', (piece: Buffer) => {
      text = (text + piece.toString()).slice(-MAX_WORDS);
      if (!text.split('\n').includes('ready')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
