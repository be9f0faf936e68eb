/** Commands without a terminal, whatever they run over: what each kind gives for one, how it ends, and what leads on from there. */
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Backward } from '../backward.ts';

/** How a command ended: `lost` when the way to it broke, and nobody knows how it ended. */
export type CommandEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string; readonly core: boolean }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * A command without a terminal that runs on a server: three streams, each with its own
 * back-pressure, and an end. `stdin.end()` is the end of its input, not its end.
 */
export interface RunningCommand {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Name without "SIG", as SSH carries it. */
  signal(name: string): void;
  /** Never rejects; told once, after the last byte of both outputs has been handed on or the way was lost. */
  readonly ended: Promise<CommandEnd>;
  /** Ends it wherever it stands; safe to call again. */
  close(): void;
}

/** A line for the login's shell, the login's shell itself, or the server of SFTP. */
export type WantedProgram =
  | ({ readonly type: 'command'; readonly command: string } & ProgramWishes)
  | ({ readonly type: 'shell' } & ProgramWishes)
  | { readonly type: 'files' };

interface ProgramWishes {
  readonly env: Readonly<Record<string, string>>;
  readonly backward?: Backward | undefined;
}

/** Where a connection is to go from there. */
export type ForwardTarget =
  | { readonly type: 'tcp'; readonly host: string; readonly port: number }
  | { readonly type: 'socket'; readonly path: string };

/** A connection that somebody made to where the server listens: taken, or turned away. */
export interface CameIn {
  /** Where it came from; unknown of a socket. */
  readonly from: { readonly host: string; readonly port: number };
  accept(): Duplex;
  reject(): void;
}

export interface Listening {
  /** The one it was given, where any would do. */
  readonly port: number;
  /** What has come in already goes on. */
  close(): void;
}

export interface Forwards {
  /** Throws why there is none, in words for who asked. */
  open(target: ForwardTarget): Promise<Duplex>;
  /** Absent: nothing is listened for there. Throws why not, as above. Over with the rest. */
  listen?(at: ForwardTarget, onCameIn: (came: CameIn) => void): Promise<Listening>;
  close(): void;
}
