/** A smaller window for the session of a connection than the 2 MiB of ssh2: all of it may be on its way when somebody presses Ctrl-C. */
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';

/** At 50 ms to the server still 10 MB a second. */
const WINDOW_BYTES = 512 * 1024;
const GRANT_EVERY_BYTES = 128 * 1024;

/** What of ssh2 is reached into; connect-ssh.integration tests fail when a version has it otherwise. */
interface Protocol {
  session(channel: number, window: number, maxPacket: number): void;
  channelWindowAdjust(channel: number, bytes: number): void;
  ping(): void;
}

interface Inside {
  _protocol: Protocol;
  _chanMgr: { get(id: number): unknown };
  _callbacks: (() => void)[];
  _sock?: Duplex;
}

/** ssh2 writes each packet in three pieces: each would be a call of the system, and a packet on the wire. */
export function together(client: Client, send: () => void): void {
  const { _sock: socket } = client as unknown as Inside;
  socket?.cork();
  try {
    send();
  } finally {
    socket?.uncork();
  }
}

export interface NarrowWindow {
  /** So much was read: the server may send as much again. */
  read(channel: ClientChannel, bytes: number): void;
}

/** Call it before the channel is opened. */
export function narrowWindow(client: Client): NarrowWindow {
  const { _protocol: protocol, _chanMgr: channels } = client as unknown as Inside;
  const session = protocol.session.bind(protocol);
  const adjust = protocol.channelWindowAdjust.bind(protocol);
  let narrowed = -1;
  protocol.session = (channel, _window, maxPacket) => {
    narrowed = channel;
    session(channel, WINDOW_BYTES, maxPacket);
  };
  // What the server opens beside it has windows as ssh2 keeps them.
  protocol.channelWindowAdjust = (id, bytes) => {
    const known = channels.get(narrowed) as { outgoing?: { id: number } } | undefined;
    if (known?.outgoing?.id !== id) adjust(id, bytes);
  };
  let owed = 0;
  return {
    read(channel, bytes) {
      owed += bytes;
      if (owed < GRANT_EVERY_BYTES) return;
      const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing;
      together(client, () => adjust(id, owed));
      owed = 0;
    },
  };
}

/** Milliseconds until the server answers something it does not know, as every server does. */
export function pingServer(client: Client): Promise<number> {
  const { _protocol: protocol, _callbacks: callbacks } = client as unknown as Inside;
  const from = performance.now();
  return new Promise((resolve) => {
    callbacks.push(() => resolve(performance.now() - from));
    protocol.ping();
  });
}
