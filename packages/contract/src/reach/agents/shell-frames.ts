/**
 * The frames of one attachment to a shell that an agent holds. Each is: type (1 byte), length (32 bits, big-endian), payload.
 *
 *   agent    state    JSON shellState                    first, once: how things stand at the first byte of output that follows
 *   agent    output   offset (64 bits) bytes             from there on, without holes; waits when not taken
 *   agent    echo     offset (64 bits) 0|1               what is typed is hidden, or shown, from that byte of output on
 *   agent    size     offset (64 bits) cols rows (16)    the terminal has that size from that byte of output on
 *   agent    program  text                               what runs in the foreground now; empty while the shell itself waits
 *   agent    taken    writer (64 bits) offset (64 bits)  input of that writer up to here has been given to the shell
 *   agent    exit     JSON shellExit                     after the last output; the stream ends
 *   gateway  input    writer offset (64 bits each) bytes what was taken before is skipped; a hole cuts the attachment
 *   gateway  resize   JSON shellSize
 *   gateway  seen     offset (64 bits)                   output up to here has been passed on, see `ahead` in targets.ts
 *   gateway  kept     offset (64 bits)                   output up to here is stored elsewhere and may be forgotten
 *   gateway  end      JSON shellEnd                      hang up: the shell gets SIGHUP, what is left after 5 s SIGKILL
 *
 * Offsets of output count bytes since the shell began. Whoever types is a writer of their own, a number drawn by the browser,
 * and counts the bytes of their own input: after a gateway was lost each of several writers goes on where it was.
 * An agent that breaks these rules, or sends more small frames than a terminal could need, is cut off.
 * A writer may run UNTAKEN_BYTES ahead of `taken`, so that no frame ever waits behind input nobody reads.
 * Closing the stream detaches and ends nothing. A holder keeps output from the last `kept` on, up to HELD_BYTES, and a little
 * from before it; when that is full, or nobody who is attached takes it, the terminal waits.
 */
import { z } from 'zod';
import { screenCols, screenRows } from '../../sessions/screen-size.ts';

export const SHELL_FRAMES = {
  state: 1,
  output: 2,
  echo: 3,
  taken: 4,
  exit: 5,
  size: 6,
  program: 7,
  input: 17,
  resize: 18,
  kept: 19,
  end: 20,
  seen: 21,
} as const;

/** Output that nobody has stored yet. A recorder has to acknowledge by size too: once a second alone would be 4 MiB a second. */
export const HELD_BYTES = 4 * 1024 * 1024;
export const MAX_FRAME_BYTES = 256 * 1024;
export const UNTAKEN_BYTES = 128 * 1024;
/** A holder forgets the one that has been silent longest; it must then begin under another number. */
export const MAX_WRITERS = 32;

/** No terminal prints so much in a century; a sum of offsets far beyond it would stand still, and so would whoever counts by it. */
export const MAX_OFFSET = 2 ** 48;

const offset = z.int().min(0).max(MAX_OFFSET);
/** 64 bits as 16 hexadecimal digits. */
export const shellWriter = z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits');

export const shellState = z
  .object({
    /** The first byte that can still be had; later than the one asked for when those before it are forgotten. */
    start: offset,
    end: offset,
    /** Input taken so far, by writer. */
    taken: z
      .record(shellWriter, offset)
      .refine((all) => Object.keys(all).length <= MAX_WRITERS, 'has too many writers'),
    echo: z.boolean(),
    program: z.string().max(256),
    pid: z.int(),
    login: z.string().max(256),
    cols: screenCols,
    rows: screenRows,
  })
  .refine(({ start, end }) => start <= end, { path: ['end'], message: 'lies before the start' });
export type ShellState = z.output<typeof shellState>;

export const shellExit = z.object({
  code: z.int().optional(),
  signal: z.string().max(32).optional(),
  /** Set when it did not end by itself. */
  reason: z.string().max(500).optional(),
});
export type ShellExit = z.output<typeof shellExit>;
export const shellSize = z.object({ cols: screenCols, rows: screenRows });
export type ShellSize = z.output<typeof shellSize>;
export const shellEnd = z.object({ reason: z.string().max(500) });
export type ShellEnd = z.output<typeof shellEnd>;

export type AgentShellFrame =
  | { type: 'state'; state: ShellState }
  | { type: 'output'; offset: number; bytes: Uint8Array }
  | { type: 'echo'; offset: number; echo: boolean }
  | ({ type: 'size'; offset: number } & ShellSize)
  | { type: 'program'; program: string }
  | { type: 'taken'; writer: string; offset: number }
  | { type: 'exit'; exit: ShellExit };

export type GatewayShellFrame =
  | { type: 'input'; writer: string; offset: number; bytes: Uint8Array }
  | ({ type: 'resize' } & ShellSize)
  | { type: 'seen'; offset: number }
  | { type: 'kept'; offset: number }
  | ({ type: 'end' } & ShellEnd);

export type ShellFrame = AgentShellFrame | GatewayShellFrame;
