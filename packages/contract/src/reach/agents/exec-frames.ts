/**
 * The frames of one command without a terminal, target `exec` of targets.ts. Each is: type (1 byte), length (32 bits,
 * big-endian), payload.
 *
 *   gateway  start    JSON execStart                  first, once
 *   gateway  stdin    bytes                           input, within what the agent gave room for
 *   agent    stdout   bytes                           output, within what the gateway gave room for
 *   agent    stderr   bytes
 *   either   eof      stream (1 byte)                 the end of a stream one sends; nothing more comes of it
 *   either   window   stream (1 byte) bytes (32 bits) so many more bytes of a stream one receives may come
 *   gateway  signal   text                            name without "SIG", to the command's process group
 *   agent    exit     JSON execExit                   after the end of both outputs; last, the stream ends
 *
 * Streams are numbered as in every process: 0 input, 1 output, 2 errors. Each begins with room for EXEC_WINDOW_BYTES and never
 * has more, so that one nobody reads holds up neither the others nor a signal. No frame of bytes is empty.
 * A stream that is cut ends the command: its process group gets SIGHUP, what is left after 5 s SIGKILL.
 * Who breaks these rules is cut off.
 */
import { z } from 'zod';

export const EXEC_FRAMES = { start: 1, stdin: 2, stdout: 3, stderr: 4, eof: 5, window: 6, signal: 7, exit: 8 } as const;

export const EXEC_WINDOW_BYTES = 1024 * 1024;
/** Told this seldom: each is a frame of its own. */
export const EXEC_WINDOW_STEP_BYTES = 128 * 1024;
export const MAX_EXEC_FRAME_BYTES = 256 * 1024;
/** A command of control characters is six times as long as JSON. */
export const MAX_EXEC_START_BYTES = 1024 * 1024;
/** What Linux takes as one argument, with room for what stands before it. */
export const MAX_COMMAND_BYTES = 127 * 1024;

export const EXEC_STREAMS = ['stdin', 'stdout', 'stderr'] as const;
export type ExecStream = (typeof EXEC_STREAMS)[number];

/** Those that RFC 4254 names. */
export const EXEC_SIGNALS = [
  'ABRT',
  'ALRM',
  'FPE',
  'HUP',
  'ILL',
  'INT',
  'KILL',
  'PIPE',
  'QUIT',
  'SEGV',
  'TERM',
  'USR1',
  'USR2',
] as const;
export type ExecSignal = (typeof EXEC_SIGNALS)[number];

/** Neither libraries nor servers take others. */
export function isExecSignal(name: string): name is ExecSignal {
  return (EXEC_SIGNALS as readonly string[]).includes(name);
}

/** What a client may say of itself: its language and its terminal, nothing a program could be steered with. */
export const execVariable = z
  .string()
  .regex(/^(LANG|LC_[A-Z]{1,32}|TERM|COLORTERM)$/, 'is not LANG, LC_*, TERM or COLORTERM');
const variableValue = z.string().regex(/^[A-Za-z0-9_.,:@+=-]{0,128}$/, 'has characters no language or terminal has');

export const execEnv = z
  .record(execVariable, variableValue)
  .refine((env) => Object.keys(env).length <= 32, 'has more than 32 variables');

export const execStart = z.object({
  /** Run by the login's shell with -c. Absent: that shell as a login shell, which reads commands from its input. */
  command: z
    .string()
    .max(MAX_COMMAND_BYTES, 'is longer than 127 KiB, which no system takes')
    .refine((command) => !command.includes('\0'), 'has a zero byte')
    .optional(),
  env: execEnv,
});
export type ExecStart = z.output<typeof execStart>;

export const execExit = z.union([
  z.object({ code: z.int().min(0).max(255) }),
  z.object({ signal: z.string().regex(/^[A-Z0-9]{1,16}$/), core: z.boolean() }),
  /** It was not begun, or was ended by the agent. */
  z.object({ reason: z.string().min(1).max(500) }),
]);
export type ExecExit = z.output<typeof execExit>;

interface ExecData {
  type: 'data';
  stream: ExecStream;
  bytes: Uint8Array;
}
interface ExecFlow {
  stream: ExecStream;
}
export type GatewayExecFrame =
  | { type: 'start'; start: ExecStart }
  | ExecData
  | ({ type: 'eof' } & ExecFlow)
  | ({ type: 'window'; bytes: number } & ExecFlow)
  | { type: 'signal'; signal: string };
export type AgentExecFrame =
  | ExecData
  | ({ type: 'eof' } & ExecFlow)
  | ({ type: 'window'; bytes: number } & ExecFlow)
  | { type: 'exit'; exit: ExecExit };
export type ExecFrame = GatewayExecFrame | AgentExecFrame;
