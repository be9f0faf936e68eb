/**
 * The program that connects for forwards, with the rights of one user and no others: who started it, or `--as LOGIN UID GID` when
 * root did. It hands each connected socket to the agent and has nothing to do with it afterwards.
 */
import { connect, type Socket } from 'node:net';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { become } from '../login/become.ts';
import { type DialAnswer, type DialRequest, dialRequest } from './dial-messages.ts';

const DIAL_MS = 10_000;

try {
  run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
}

function run(args: readonly string[]): void {
  const as = args.indexOf('--as');
  if (as !== -1) {
    const [login = '', uid, gid] = args.slice(as + 1);
    become({ login, uid: Number(uid), gid: Number(gid) });
  }
  process.on('message', (message) => void serve(dialRequest.parse(message)));
  process.on('disconnect', () => process.exit(0));
  process.stderr.write('ready\n');
}

async function serve({ id, to }: DialRequest): Promise<void> {
  try {
    answer({ id }, await dial(to));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : errorMessage(error);
    answer({ id, failure: code.slice(0, 300) });
  }
}

function answer(words: DialAnswer, socket?: Socket): void {
  // The agent has gone: so has who wanted it.
  if (process.connected) process.send?.(words, socket, {}, () => {});
  else socket?.destroy();
}

async function dial(to: DialRequest['to']): Promise<Socket> {
  if ('path' in to) return await connected(connect({ path: to.path, allowHalfOpen: true }));
  let last: unknown;
  for (const host of to.addresses) {
    try {
      return await connected(connect({ host, port: to.port, allowHalfOpen: true, noDelay: true, keepAlive: true }));
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function connected(socket: Socket): Promise<Socket> {
  // What the other side says first is the agent's to read.
  socket.pause();
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), DIAL_MS);
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}
