/**
 * Wakes both outputs of a channel when the other side takes more. ssh2 wakes one of them and forgets the other, which then waits for
 * ever; and it keeps the last piece of the first, which it would send once more when the second one waits.
 */
import type { Connection } from 'ssh2';

type Done = () => void;

interface Output {
  _write(piece: Buffer, encoding: null, done: Done): void;
}

/** What of ssh2 is reached into; the test with much on both outputs fails when a version has it otherwise. */
interface Channel extends Output {
  outgoing: { window: number };
  stderr?: Output;
  _waitWindow: boolean;
  _chunk: Buffer | undefined;
  _chunkcb: Done | undefined;
  _chunkErr: Buffer | undefined;
  _chunkcbErr: Done | undefined;
}

interface Inside {
  _chanMgr: { get(channel: number): unknown };
  _protocol: { _handlers: Record<string, ((protocol: unknown, channel: number, bytes: number) => void) | undefined> };
}

/** Call it before the first channel is opened. */
export function wakeWriters(connection: Connection): void {
  const { _chanMgr: channels, _protocol: protocol } = connection as unknown as Inside;
  if (!protocol._handlers.CHANNEL_WINDOW_ADJUST)
    throw new Error('this version of ssh2 hears of windows in another way');
  protocol._handlers.CHANNEL_WINDOW_ADJUST = (_, id, bytes) => {
    const channel = channelOf(channels.get(id));
    if (!channel) return;
    channel.outgoing.window += bytes;
    channel._waitWindow = false;
    const { _chunk: piece, _chunkcb: done, _chunkErr: errors, _chunkcbErr: doneErrors } = channel;
    channel._chunk = channel._chunkcb = channel._chunkErr = channel._chunkcbErr = undefined;
    // Errors first: they are few, and what is much would leave them no room.
    if (doneErrors && errors) channel.stderr?._write(errors, null, doneErrors);
    else doneErrors?.();
    if (done && piece) channel._write(piece, null, done);
    else done?.();
  };
}

/** What runs on a session channel is inside of it. */
function channelOf(known: unknown): Channel | undefined {
  if (typeof known !== 'object' || known === null) return undefined;
  if ('outgoing' in known) return known as Channel;
  return '_channel' in known && known._channel ? (known._channel as Channel) : undefined;
}
