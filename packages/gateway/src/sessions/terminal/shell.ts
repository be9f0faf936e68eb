/** What holds a shell, as sessions see it: the gateway itself or an agent. Output is counted from its first byte, input by its writer. */
import type { ShellExit, ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Backward } from '../backward.ts';
import type { SessionEnd } from '../host/session-store.ts';

export interface ShellStart extends ShellSize {
  /** The first byte of output that can still be had. */
  start: number;
  /** What it has printed by now: so much follows at once. Absent: nothing but what comes. */
  end?: number;
  echo: boolean;
  program: string;
  /** What of each writer it had before; nothing when it has just begun. */
  taken?: Readonly<Record<string, number>>;
}

/** A shell that did not end by itself but with the way to it. */
export interface ShellOver extends ShellExit {
  lost?: 'agent_lost' | 'target_lost';
}

export interface ShellEvents {
  /** Once, before any output. */
  begin(start: ShellStart): void;
  /** Follows what came before without a hole. The bytes may be a view that changes later. */
  output(bytes: Uint8Array): void;
  taken(writer: string, offset: number): void;
  /** From the next byte of output on. */
  size(size: ShellSize): void;
  echo(shown: boolean): void;
  program(program: string): void;
  /** It cannot be reached for a while, and again; nothing is lost in between. */
  away(reason: string): void;
  back(): void;
  /** After the last output; nothing follows. */
  over(over: ShellOver): void;
}

export interface Shell {
  /** Whether it lives on when this gateway is lost. */
  readonly survives: boolean;
  /** Input of a writer that was taken so far. */
  takenBy(writer: string): number;
  /** What was taken before is skipped. Throws an `InputError` for a hole, or when too much is under way. */
  input(writer: string, offset: number, bytes: Uint8Array): void;
  resize(size: ShellSize): void;
  /** Somebody has had output up to here: it waits when it is far ahead of this. */
  passed(offset: number): void;
  /** Output up to here is stored elsewhere, or was seen, and may be forgotten. */
  kept(offset: number): void;
  /** Hangs up. */
  end(reason: string): void;
  /** Lets go of it without ending it, where it survives. */
  release(): void;
  /** Round trip to it in milliseconds, when known. */
  roundTrip(): Promise<number | undefined>;
}

/** What is wanted of a terminal by who brings one along; without it, it is the browser's. */
export interface ShellProgram {
  /** Run by the login's shell instead of one that is typed into. */
  command?: string;
  /** The kind of terminal, as programs look it up. */
  term?: string;
  env?: Readonly<Record<string, string>>;
  backward?: Backward | undefined;
}

export function endOfShell({ code, signal, reason, lost }: ShellOver): SessionEnd {
  if (lost) return { cause: lost, message: reason ?? 'the way to the shell was lost' };
  const how = signal ? `ended by ${signal}` : code ? `ended with status ${code}` : 'ended';
  return { cause: 'exited', message: reason ?? `the shell ${how}`, exitCode: code };
}
