/** A stream to something that speaks until it has said everything, as a command: it has no second output, and ends well where it ends. */
import { type Duplex, Readable } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { CommandEnd, RunningCommand } from './running-command.ts';

export function streamCommand(stream: Duplex, signal: AbortSignal): RunningCommand {
  const ended = new Promise<CommandEnd>((resolve) => {
    stream.once('end', () => resolve({ kind: 'exit', code: 0 }));
    stream.once('error', (error) => resolve({ kind: 'lost', why: error.message }));
    stream.once('close', () => resolve({ kind: 'lost', why: 'the way to it was lost' }));
  });
  const close = () => void stream.destroy();
  whenAborted(signal, close);
  return { stdin: stream, stdout: stream, stderr: Readable.from([]), signal: () => {}, ended, close };
}
