/**
 * The frames of one attachment to a shell that an agent holds. Each is: type (1 byte), length (32 bits, big-endian), payload.
 *
 *   agent    state   JSON shellState        first, once
 *   agent    output  offset (64 bits) bytes from the asked offset on, without holes; waits when not taken
 *   agent    echo    offset (64 bits) 0|1   the terminal's echo is off or on from that byte of output on
 *   agent    taken   offset (64 bits)       input up to here has been given to the shell
 *   agent    exit    JSON shellExit         after the last output; the stream ends
 *   gateway  input   offset (64 bits) bytes what was taken before is skipped, a hole is a refusal
 *   gateway  resize  JSON shellSize
 *   gateway  kept    offset (64 bits)       output up to here is stored elsewhere and may be forgotten
 *   gateway  end     JSON shellEnd          hang up: the shell gets SIGHUP, what is left after 5 s SIGKILL
 *
 * Offsets count bytes since the shell began, in each direction by itself. Closing the stream detaches and ends nothing.
 * A holder keeps output from the last `kept` on, up to HELD_BYTES; when that is full the terminal waits.
 */
import { z } from 'zod';

export const SHELL_FRAMES = {
  state: 1,
  output: 2,
  echo: 3,
  taken: 4,
  exit: 5,
  input: 17,
  resize: 18,
  kept: 19,
  end: 20,
} as const;
export type ShellFrame = keyof typeof SHELL_FRAMES;

export const HELD_BYTES = 4 * 1024 * 1024;
export const MAX_FRAME_BYTES = 256 * 1024;

const offset = z.int().min(0);

export const shellState = z.object({
  /** The first byte that can still be had; later than the one asked for when those before it are forgotten. */
  start: offset,
  end: offset,
  /** Input taken so far. */
  taken: offset,
  echo: z.boolean(),
  pid: z.int(),
  login: z.string(),
  cols: z.int(),
  rows: z.int(),
});
export type ShellState = z.output<typeof shellState>;

export const shellExit = z.object({
  code: z.int().optional(),
  signal: z.string().optional(),
  reason: z.string().optional(),
});
export type ShellExit = z.output<typeof shellExit>;
export const shellSize = z.object({ cols: z.int().min(1).max(4095), rows: z.int().min(1).max(4095) });
export type ShellSize = z.output<typeof shellSize>;
export const shellEnd = z.object({ reason: z.string().max(500) });
