/** Commands without a terminal, whatever they run over: what each kind gives for one, and how it ends. */
import type { Readable, Writable } from 'node:stream';

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
