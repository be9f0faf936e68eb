/**
 * The channels of one connection: so many and no more, each held to what it may send, and each over once its other side closed it.
 * ssh2 leaves these to us: it keeps what comes beyond the window, forgets a session that was closed before anything ran in it,
 * and tells of a closed channel only when everything that came on it was read, which may be never.
 */
import type { Duplex } from 'node:stream';
import type { Connection, ServerChannel } from 'ssh2';
import { boundChannel } from '../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { HoldBack } from '../../platform/crypto/ssh/ssh2/hold-back.ts';

export const MAX_CHANNELS = 64;
/** With those of all that jump through it: 64 in each of 64 would be thousands, for one sign-in. */
const MAX_CHANNELS_WITHIN = 512;
export const MAX_WORDS = `at most ${MAX_CHANNELS} channels at once, and ${MAX_CHANNELS_WITHIN} with those of all jumps`;
/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
/** For what was sent before a channel was closed: whoever reads it may be slow. */
const READ_ON_MS = 2_000;

/** What of ssh2 is reached into; the tests with hostile clients fail when a version has it otherwise. */
interface Inside {
  _chanMgr: { get(id: number): unknown; remove(id: number): void };
  _protocol: {
    _handlers: { CHANNEL_CLOSE?: (protocol: unknown, id: number) => void };
    channelClose(id: number): void;
  };
}

/** A session, before something runs in it: what ssh2 gives for one until then. */
interface BareSession {
  _chanInfo?: { outgoing: { id: number } };
  _channel?: ServerChannel;
}

export class OpenChannels {
  readonly #held = new Set<ServerChannel>();
  readonly #below: HoldBack;
  #count = 0;
  #isOver = false;
  /** Of the connection that everything came through. */
  readonly #all: { count: number };

  /** `outer`: of the one that it jumps through. */
  constructor(client: Connection, stream: Duplex, outer?: OpenChannels) {
    this.#all = outer ? outer.#all : { count: 0 };
    this.#below = new HoldBack(stream);
    const { _protocol: protocol, _chanMgr: known } = client as unknown as Inside;
    const before = protocol._handlers.CHANNEL_CLOSE;
    if (!before) throw new Error('this version of ssh2 closes channels in another way');
    protocol._handlers.CHANNEL_CLOSE = (given, id) => {
      const closed = known.get(id) as (BareSession & Partial<ServerChannel>) | undefined;
      before(given, id);
      if (closed?._chanInfo && !closed._channel) {
        known.remove(id);
        protocol.channelClose(closed._chanInfo.outgoing.id);
      } else if (closed) this.#closeSoon((closed._channel ?? closed) as ServerChannel);
    };
  }

  /** From before it is open, so that nobody has thousands on their way. Gives back how to leave; undefined: it has enough of them. */
  enter(): (() => void) | undefined {
    if (this.#isOver || this.#count >= MAX_CHANNELS || this.#all.count >= MAX_CHANNELS_WITHIN) return undefined;
    this.#count += 1;
    this.#all.count += 1;
    let isIn = true;
    return () => {
      if (!isIn || this.#isOver) return;
      isIn = false;
      this.#count -= 1;
      this.#all.count -= 1;
    };
  }

  hold(channel: ServerChannel, onClosed = () => {}): ServerChannel {
    boundChannel(channel, MAX_AHEAD_BYTES, () => {
      channel.destroy();
      this.#closeSoon(channel);
    });
    this.#below.hold(channel);
    channel.on('error', () => {});
    this.#held.add(channel);
    channel.once('close', () => {
      this.#held.delete(channel);
      onClosed();
    });
    return channel;
  }

  /** One whose sides end each for itself, as those of TCP do: ssh2 would close it with our last byte, whatever is still to come. */
  holdBothWays(channel: ServerChannel, onClosed?: () => void): ServerChannel {
    for (const name of ['finish', 'prefinish']) channel.removeAllListeners(name);
    channel.once('finish', () => channel.eof());
    return this.hold(channel, onClosed);
  }

  /** The connection is gone, and they with it: also those that nothing ran in, of which ssh2 tells nothing. */
  close(): void {
    this.#isOver = true;
    this.#all.count -= this.#count;
    this.#count = 0;
    for (const channel of this.#held) this.#closeSoon(channel);
  }

  #closeSoon(channel: ServerChannel): void {
    if (!this.#held.has(channel)) return;
    setTimeout(() => {
      if (this.#held.has(channel)) channel.emit('close');
    }, READ_ON_MS).unref();
  }
}
