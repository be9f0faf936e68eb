/** What a session keeps while it runs, of whatever kind: items in order, and how far no crash can take them away. Kinds of sessions write on top of it. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { Tx } from '../platform/storage/tables.ts';
import type { Session, SessionEnd } from './host/session-store.ts';

/** Something that happened. What its bytes mean is known to who writes and who plays items of its type. */
export interface NewItem {
  /** By the table of the recording format, which is one for all kinds of sessions. */
  type: number;
  /** Milliseconds into the session. */
  ms: number;
  bytes: Uint8Array;
  /** How far the session has come with it, in what its kind counts: bytes of output for a terminal. Never goes back. */
  to: number;
}

export interface PastItem {
  type: number;
  ms: number;
  bytes: Buffer;
}

export interface SessionRecorder {
  /** Milliseconds into the session, now. */
  now(): number;
  /** Takes the item over: neither it nor its bytes may change afterwards. Passed over once it has failed or is closed. */
  append(item: NewItem): void;
  /** Whether items are still taken. */
  isOpen(): boolean;
  joined(user: string, mode: ParticipantMode): void;
  left(user: string, mode: ParticipantMode): void;
  /** Everything up to this `to` is on disk. */
  durable(): number;
  onDurable(listener: () => void): void;
  /** Calls back about once a second while there is something to write, before it is written. */
  beforeWrite(listener: () => void): void;
  /** What reaches beyond this `to`, as far as it is on disk. It begins where a frame of the recording does, perhaps earlier. */
  past(from: number): AsyncIterable<PastItem>;
  /** It cannot go on; nothing more becomes durable. */
  onFailed(listener: (reason: string) => void): void;
  /** There is no room for more of it: the session has to end, and what there is of it is kept. */
  onFull(listener: (reason: string) => void): void;
  close(end: SessionEnd): void;
  /** Another gateway goes on with it. */
  release(): void;
}

export interface OpenedHow {
  /** It was noted with its session, which began here just now: nobody else can know of it. */
  isNew?: boolean;
}

/** Opens recorders of sessions, or with `Writer` what a kind of session writes on top of one. */
export interface Recorder<Writer = SessionRecorder, Options = object> {
  /** False: nothing is recorded in this cluster. */
  readonly isOn: boolean;
  /** Says why a session is not recorded. */
  skip(session: Session, reason: string): Promise<void>;
  /** Opens or goes on with the recording of a session. Throws when it cannot be written, and notes that. */
  open(session: Session, options?: Options, how?: OpenedHow): Promise<Writer>;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
}

/** One whose recordings are noted with their sessions. */
export interface BegunTogether {
  /** In the transaction that begins a session which is to be recorded: written by itself, it would wait for the disk once more. */
  begins(tx: Tx, sid: string): Promise<void>;
}
