/** Requests of a program that a server listen for it, or stop: SSH answers them with yes or no, so why not is told on the next output there is. */
import type { Connection } from 'ssh2';
import type { ForwardTarget } from '../../sessions/commands/running-command.ts';
import type { ForwardChannels } from './forward-channels.ts';

/** SSH answers in the order of the questions: while one waits, the others do. */
const MAX_WAITING = 128;
const MAX_PATH = 108;
const MAX_HOST = 253;

interface ListenDeps {
  /** Undefined where no server was named. */
  forwards: (() => ForwardChannels) | undefined;
  wordsOf(error: unknown): string;
  tell(words: string): void;
  /** It asks more than it waits for answers. */
  cut(): void;
}

type Handler = (protocol: unknown, name: string, wantReply: boolean, data: unknown) => void;

/** Gives back a wait for what was asked so far: what is run afterwards counts on it, as it can with every sshd. */
export function serveListenRequests(
  client: Connection,
  { forwards, wordsOf, tell, cut }: ListenDeps,
): () => Promise<unknown> {
  const pending = new Set<Promise<void>>();
  let waiting = 0;
  const { _protocol: protocol } = client as unknown as { _protocol: { _handlers: { GLOBAL_REQUEST?: Handler } } };
  const before = protocol._handlers.GLOBAL_REQUEST;
  if (!before) throw new Error('this version of ssh2 hears requests in another way');
  protocol._handlers.GLOBAL_REQUEST = (given, name, wantReply, data) => {
    waiting = pending.size > 0 ? waiting + 1 : 0;
    if (waiting > MAX_WAITING) return cut();
    before(given, name, wantReply, data);
  };
  client.on('request', (accept, reject, name, info) => {
    const at = targetOf(info);
    if (!forwards || !at) return reject?.();
    if (name.startsWith('cancel-')) return forwards().unlisten(at) ? accept?.() : reject?.();
    if (name !== 'tcpip-forward' && (name as string) !== 'streamlocal-forward@openssh.com') return reject?.();
    const asked: Promise<void> = forwards()
      .listen(at)
      .then(
        ({ port, begin }) => {
          accept?.(port);
          begin();
        },
        (error: unknown) => {
          tell(wordsOf(error));
          reject?.();
        },
      )
      .finally(() => pending.delete(asked));
    pending.add(asked);
  });
  return () => Promise.all(pending);
}

function targetOf(info: unknown): ForwardTarget | undefined {
  const { bindAddr, bindPort, socketPath } = (info ?? {}) as Record<string, unknown>;
  if (typeof socketPath === 'string')
    return socketPath.length <= MAX_PATH ? { type: 'socket', path: socketPath } : undefined;
  if (typeof bindAddr !== 'string' || bindAddr.length > MAX_HOST) return undefined;
  if (typeof bindPort !== 'number' || bindPort > 65_535) return undefined;
  return { type: 'tcp', host: bindAddr, port: bindPort };
}
