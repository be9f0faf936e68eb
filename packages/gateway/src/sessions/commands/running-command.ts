/** What runs on a server for somebody without a terminal, and what leads on from there. */
/** Commands without a terminal, whatever they run over: what each kind gives for one, and how it ends. */
import type { Duplex, Readable, Writable } from 'node:stream';

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
  | { readonly type: 'command'; readonly command: string; readonly env: Readonly<Record<string, string>> }
  | { readonly type: 'shell'; readonly env: Readonly<Record<string, string>> }
  | { readonly type: 'files' };

/** Where a connection is to go from there. */
export type ForwardTarget =
  | { readonly type: 'tcp'; readonly host: string; readonly port: number }
  | { readonly type: 'socket'; readonly path: string };

export interface Forwards {
  /** Throws why there is none, in words for who asked. */
  open(target: ForwardTarget): Promise<Duplex>;
  close(): void;
}
