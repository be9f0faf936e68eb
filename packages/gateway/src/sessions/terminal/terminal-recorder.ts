/** What a terminal writes while it runs: output by byte offset, and what was typed into it. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { PastOutput } from '../past-output.ts';
import type { BegunTogether, Recorder, SessionRecorder } from '../recorder.ts';

type OfEverySession = 'joined' | 'left' | 'durable' | 'onDurable' | 'onFailed' | 'onFull' | 'close' | 'release';

/** `durable` counts bytes of output. */
export interface TerminalRecorder extends Pick<SessionRecorder, OfEverySession> {
  /** Where output begins; later than the durable offset when a part was lost. */
  begin(offset: number, size: ShellSize): void;
  /** Follows what came before; what is durable already is skipped. The bytes must not change afterwards. */
  write(offset: number, bytes: Uint8Array): void;
  resize(offset: number, size: ShellSize): void;
  /** Typed by somebody, maybe once more; kept only where a role says so, and only what the terminal showed. */
  input(writer: string, offset: number, bytes: Uint8Array): void;
  /** Whether what is typed is shown from now on. */
  echo(shown: boolean): void;
  /** Output from this byte on, as far as it is on disk. */
  past(from: number): AsyncIterable<PastOutput>;
}

/** `input`: what is typed is kept too, as far as it is shown. */
export interface TerminalRecorders extends Recorder<TerminalRecorder, { input?: boolean }>, BegunTogether {}
