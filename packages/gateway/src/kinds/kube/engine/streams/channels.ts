/** An exec or attach as one shape, whatever carries it and on whichever side: five streams of bytes. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** In the order of their numbers in websockets. */
export const CHANNELS = ['stdin', 'stdout', 'stderr', 'error', 'resize'] as const;
export type Channel = (typeof CHANNELS)[number];

export interface ExecChannels {
  /** In words, for the log. */
  protocol: string;
  /** `error` carries the status; the others are there where they were asked for. */
  streams: Readonly<Partial<Record<Channel, Duplex>>> & { readonly error: Duplex };
  /** The other side is gone; in words why, where it did not close in order. */
  closed: Promise<string | undefined>;
  /** After what was written. */
  close(): void;
  destroy(): void;
  /** The other side closes by itself once it has the status, and may lose it when we do. */
  closesFirst: boolean;
}

/** For a client to go by itself. */
const LEAVING_MS = 1_000;
/** For one that is cut to take the reason. */
export const CUT_MS = 1_500;

/**
 * Towards a client: its status comes behind the last output, or it would be lost. Who reads slowly is waited for, unless `cutMs` says how long:
 * whoever may not go on would else keep what is open by not reading.
 */
export async function finishExec(client: ExecChannels, status: Buffer, cutMs?: number): Promise<void> {
  const timer = cutMs === undefined ? undefined : setTimeout(() => client.destroy(), cutMs).unref();
  void client.closed.then(() => clearTimeout(timer));
  const { streams, closed, closesFirst, close } = client;
  const { stdout, stderr, error } = streams;
  await Promise.race([Promise.all([ended(stdout), ended(stderr)]), closed]);
  await Promise.race([ended(error, status), closed]);
  if (closesFirst) await Promise.race([closed, sleep(LEAVING_MS, undefined, { ref: false })]);
  close();
}

function ended(stream: Duplex | undefined, last?: Buffer): Promise<void> {
  if (!stream || stream.destroyed || stream.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.end(last ?? Buffer.alloc(0), () => resolve());
  });
}
