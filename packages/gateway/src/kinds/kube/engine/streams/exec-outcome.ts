/** How an exec in a cluster came to its end. */
import type { Duplex } from 'node:stream';
import type { ExecChannels } from './channels.ts';
import { MAX_STATUS_BYTES } from './exec-status.ts';

/** For the rest of the output, once the cluster has told how it ended. */
const LAST_OUTPUT_MS = 2_000;

export interface Outcome {
  /** Word for word; empty where the cluster told none. */
  status: Buffer;
  /** In words, where it told none. */
  lost: string | undefined;
}

export interface Output {
  printed(): number;
  /** Somebody reads it slowly. */
  isHeld(): boolean;
}

/** After the last output. Listens at once. */
export async function outcomeOf({ streams, closed }: ExecChannels, output: Output): Promise<Outcome> {
  let status = Buffer.alloc(0);
  streams.error.on('data', (bytes: Buffer) => {
    status = Buffer.concat([status, bytes.subarray(0, MAX_STATUS_BYTES - status.length)]);
  });
  const printing = [streams.stdout, streams.stderr].filter((stream) => stream !== undefined).map(ended);
  let why: string | undefined;
  const gone = closed.then((failure) => {
    why = failure;
  });
  await Promise.race([ended(streams.error), gone]);
  // Somebody who reads slowly is waited for; a cluster that prints nothing more and does not end either is not.
  const { promise: stale, resolve } = Promise.withResolvers<void>();
  let before = -1;
  const timer = setInterval(() => {
    if (!output.isHeld() && output.printed() === before) resolve();
    before = output.printed();
  }, LAST_OUTPUT_MS / 2).unref();
  await Promise.race([Promise.all(printing), stale]);
  clearInterval(timer);
  return { status, lost: status.length > 0 ? undefined : (why ?? 'the cluster closed the connection') };
}

function ended(stream: Duplex): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}
