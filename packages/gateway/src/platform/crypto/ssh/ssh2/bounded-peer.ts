/**
 * Holds the other side of an SSH connection to what it may send and make us send. ssh2 keeps whatever comes beyond the window, and
 * answers requests of who does not read the answers: either would fill the memory. Of packets without room it writes for ever. What
 * comes behind the end of a channel it fails at, on a stream that nobody listens to yet.
 */
import { type Duplex, Readable } from 'node:stream';
import type { Client, Connection } from 'ssh2';

/** What the other side may leave lying of what it is sent: all the input of a terminal, or the pieces of an upload. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

type Bounded = Duplex & { stderr?: unknown };

/** Call it as soon as the channel is there. `most` is more than its window. */
export function boundChannel(channel: Bounded, most: number, onTooMuch: () => void): void {
  // Of the door's own channels the second stream goes out alone.
  for (const readable of [channel, channel.stderr].filter((each) => each instanceof Readable)) {
    const push = readable.push.bind(readable);
    readable.push = (chunk: Buffer | null) => {
      if (chunk === null || readable.readableLength + chunk.length <= most) return push(chunk);
      onTooMuch();
      return false;
    };
  }
}

/** Longer than any server that is there takes to answer. */
const CLOSE_MS = 2_000;

/**
 * Call it as soon as the channel is there. ssh2 tells that one is closed when everything that came on it was read and the other side has
 * closed it too: where we closed it nobody reads any more, and it would never be told.
 */
export function tellOwnClose(channel: Duplex & { close(): void }): void {
  const close = channel.close.bind(channel);
  let isTold = false;
  let isClosing = false;
  channel.once('close', () => {
    isTold = true;
  });
  channel.close = () => {
    close();
    if (isClosing) return;
    isClosing = true;
    setTimeout(() => {
      if (!isTold) channel.emit('close');
    }, CLOSE_MS).unref();
  };
}

/**
 * Call it before ssh2 takes the stream over. Without its addon ssh2 writes a packet in three pieces: they go together, or each would
 * cost a call of the system, and inside another connection of SSH a packet of its own.
 */
export function boundWrites(stream: Duplex): void {
  const write: (bytes: Uint8Array) => boolean = stream.write.bind(stream);
  const together = takesMany(stream) ? corked(stream, write) : joined(stream, write);
  stream.write = ((bytes: Uint8Array) => {
    if (stream.writableLength <= MAX_UNREAD_BYTES) return together(bytes);
    stream.destroy(new Error('the other side does not read what it is sent'));
    return false;
  }) as typeof stream.write;
}

type Write = (bytes: Uint8Array) => boolean;

function takesMany(stream: Duplex): boolean {
  return typeof stream._writev === 'function';
}

function corked(stream: Duplex, write: Write): Write {
  return (bytes) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(bytes);
  };
}

/** As much as a packet holds; what is more goes at once. */
const MAX_JOINED_BYTES = 64 * 1024;

function joined(stream: Duplex, write: Write): Write {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const flush = () => {
    const whole = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
    if (whole && whole.length > 0 && !stream.destroyed && !stream.writableEnded) write(whole);
  };
  const end = stream.end.bind(stream) as () => Duplex;
  stream.end = (() => {
    flush();
    return end();
  }) as typeof stream.end;
  return (piece) => {
    if (pieces.length === 0) process.nextTick(flush);
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_JOINED_BYTES) flush();
    return !stream.writableNeedDrain;
  };
}

/** Smaller ones are nobody's; of none at all ssh2 would write for ever, and the whole gateway would stand still. */
const MIN_PACKET_BYTES = 64;

interface Opened {
  packetSize: number;
  sender: number;
}

/** What of ssh2 is reached into; hostile-server and hostile-client tests fail when a version has it otherwise. */
interface Inside {
  _chanMgr: { get(id: number): unknown };
  _protocol: {
    _handlers: {
      CHANNEL_OPEN?: (protocol: unknown, info: Opened) => void;
      CHANNEL_OPEN_CONFIRMATION?: (protocol: unknown, info: Opened) => void;
    } & Record<string, ((protocol: unknown, channel: number, ...rest: unknown[]) => void) | undefined>;
    disconnect(reason: number): void;
  };
}

const PROTOCOL_ERROR = 2;

/** Call it before the first channel is opened, on either side. */
export function boundPackets(side: Client | Connection, cut: () => void): void {
  const { _protocol: protocol } = side as unknown as Inside;
  const { _handlers: handlers } = protocol;
  for (const name of ['CHANNEL_OPEN', 'CHANNEL_OPEN_CONFIRMATION'] as const) {
    const before = handlers[name];
    if (!before) throw new Error('this version of ssh2 opens channels in another way');
    handlers[name] = (given, info) => {
      if (info.packetSize >= MIN_PACKET_BYTES) return before(given, info);
      protocol.disconnect(PROTOCOL_ERROR);
      cut();
    };
  }
  refuseBehindEnd(side, () => {
    protocol.disconnect(PROTOCOL_ERROR);
    cut();
  });
}

/** Of a channel nothing comes behind its end, or it is none. */
function refuseBehindEnd(side: Client | Connection, cut: () => void): void {
  const { _protocol: protocol, _chanMgr: known } = side as unknown as Inside;
  const ended = new WeakSet<object>();
  const hear = (name: string, isEnd: boolean) => {
    const before = protocol._handlers[name];
    if (!before) throw new Error('this version of ssh2 hears channels in another way');
    protocol._handlers[name] = (given, id, ...rest) => {
      const channel = known.get(id);
      if (typeof channel !== 'object' || channel === null) return before(given, id, ...rest);
      if (!isEnd && ended.has(channel)) return cut();
      if (isEnd) ended.add(channel);
      before(given, id, ...rest);
    };
  };
  for (const name of ['CHANNEL_EOF', 'CHANNEL_CLOSE']) hear(name, true);
  for (const name of ['CHANNEL_DATA', 'CHANNEL_EXTENDED_DATA']) hear(name, false);
}
