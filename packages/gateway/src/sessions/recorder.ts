/** What a session writes while it runs, as the terminal sees it: output by byte offset, and how much of it no crash can take away. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { Session, SessionEnd } from './host/session-store.ts';

export interface PastOutput {
  offset: number;
  bytes: Buffer;
  size: ShellSize | undefined;
}

export interface SessionRecorder {
  /** Where output begins; later than the durable offset when a part was lost. */
  begin(offset: number, size: ShellSize): void;
  /** Follows what came before; what is durable already is skipped. The bytes must not change afterwards. */
  write(offset: number, bytes: Uint8Array): void;
  resize(offset: number, size: ShellSize): void;
  /** Typed by somebody, maybe once more; kept only where a role says so, and only what the terminal showed. */
  input(writer: string, offset: number, bytes: Uint8Array): void;
  /** Whether what is typed is shown from now on. */
  echo(shown: boolean): void;
  joined(user: string, mode: ParticipantMode): void;
  left(user: string, mode: ParticipantMode): void;
  /** Everything before this byte is on disk. */
  durable(): number;
  onDurable(listener: () => void): void;
  /** Output from this byte on, as far as it is on disk. */
  past(from: number): AsyncIterable<PastOutput>;
  /** It cannot go on; nothing more becomes durable. */
  onFailed(listener: (reason: string) => void): void;
  /** There is no room for more of it: the session has to end, and what there is of it is kept. */
  onFull(listener: (reason: string) => void): void;
  close(end: SessionEnd): void;
  /** Another gateway goes on with it. */
  release(): void;
}

export interface Recorder {
  /** False: nothing is recorded in this cluster. */
  readonly isOn: boolean;
  /** Says why a session is not recorded. */
  skip(session: Session, reason: string): Promise<void>;
  /** Opens or goes on with the recording of a session. Throws when it cannot be written, and notes that. */
  open(session: Session, options?: { input?: boolean }): Promise<SessionRecorder>;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
}
