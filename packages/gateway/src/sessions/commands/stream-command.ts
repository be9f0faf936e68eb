/** A stream to something that answers until everything is said, as a command: it has no second output, and ends well where nothing is told. */
import { type Duplex, Readable } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { RunningCommand } from './running-command.ts';

interface ServedStream {
  signal: AbortSignal;
  /** In words why, where it did not end well. */
  ended: Promise<string | undefined>;
  close(): void;
}

export function streamCommand(stream: Duplex, { signal, ended, close }: ServedStream): RunningCommand {
  stream.on('error', () => {});
  whenAborted(signal, close);
  return {
    ...{ stdin: stream, stdout: stream, stderr: Readable.from([]), signal: () => {}, close },
    // Once what lies in the stream is read: the last answer may still be on its way to who asked.
    ended: ended.then(async (why) => {
      while (!stream.destroyed && stream.readableLength > 0) await new Promise((resolve) => setImmediate(resolve));
      return why === undefined ? { kind: 'exit', code: 0 } : { kind: 'lost', why };
    }),
  };
}
