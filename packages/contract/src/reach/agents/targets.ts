/**
 * What a gateway can ask an agent for: the targets of tunnel streams beside `agent.report`.
 *
 *   tcp:HOST:PORT    bytes to and from there, if the agent's own configuration allows it
 *   shell            attaches to a shell, opened first when `open` is given; frames as in shell-frames.ts
 *   exec             a command without a terminal; frames as in exec-frames.ts
 *   files            SFTP version 3, served by a process of the login user
 *   forward          bytes to and from where the login user may connect to from there: a TCP address or a socket's path
 *   keys             a socket of the login's by which what runs in this session asks for somebody's keys; messages as in keysSaid
 *   login            answers one JSON message (loginAnswer) whether a shell as that user could be started
 *
 * The metadata of each says for whom, for the agent's own log; the agent believes its gateway about access.
 */
import { z } from 'zod';
import { osLogin } from '../../kinds/node/node-spec.ts';
import { parseJson } from '../../std/parse-json.ts';
import { execEnv } from './exec-frames.ts';

export const TCP_PREFIX = 'tcp:';
export const SHELL_TARGET = 'shell';
export const EXEC_TARGET = 'exec';
export const FILES_TARGET = 'files';
export const FORWARD_TARGET = 'forward';
export const KEYS_TARGET = 'keys';
export const LOGIN_TARGET = 'login';
export const LOGIN_ANSWER_BYTES = 4 * 1024;

/** Metadata values are texts; numbers travel as decimal. */
export const whose = z.object({
  /** The session's id. */
  session: z.string().min(1).max(64),
  user: z.string().min(1).max(256),
});

const whole = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const size = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number)
  .refine((cells) => cells <= 4095, 'is above 4095');

/** In the same headers as a command. */
export const MAX_SHELL_ENV_CHARACTERS = 2_048;

export const shellRequest = whose.extend({
  /** Output from this byte on. */
  from: whole,
  /** The agent sends at most so many bytes beyond the last `seen`; absent: as many as the stream takes. */
  ahead: whole.optional(),
  /** What was passed on before, when a gateway comes back: `ahead` counts from here. Absent: everything before `from`. */
  seen: whole.optional(),
  /** How long it lives with nobody attached, in milliseconds. */
  graceMs: whole,
  /** Present: start it when no shell of this session exists; a shell of another login is never attached to. */
  login: osLogin.optional(),
  cols: size,
  rows: size,
  /** Value of TERM. */
  term: z.string().regex(/^[A-Za-z0-9._+-]{1,64}$/),
  /** Run by the login shell with -c instead of an interactive one. */
  command: z
    .string()
    .max(8 * 1024)
    .optional(),
  /** As JSON; an agent from before there was one does without. */
  env: z
    .string()
    .max(MAX_SHELL_ENV_CHARACTERS)
    .transform((text) => parseJson(text))
    .pipe(execEnv)
    .optional(),
});
export type ShellRequest = z.output<typeof shellRequest>;

export const execRequest = whose.extend({ login: osLogin });
export const filesRequest = whose.extend({ login: osLogin });
/** An address in any form, or a name; never a range, a port or a path. */
const host = z
  .string()
  .regex(
    /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_.])?$|^[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9._-]{1,16})?$/,
    'is no host',
  );
const port = z
  .string()
  .regex(/^[1-9]\d{0,4}$/)
  .transform(Number)
  .refine((number) => number <= 65_535, 'is above 65535');
/** In bytes, as Linux takes it. */
export const MAX_SOCKET_PATH_BYTES = 107;
/** One that begins with a zero byte is no file and has no owner. */
const socketPath = z
  .string()
  .max(MAX_SOCKET_PATH_BYTES)
  .regex(/^\/[^\0]*$/, 'does not begin with a slash, or has a zero byte');
export const forwardRequest = whose
  .extend({ login: osLogin })
  .and(z.union([z.object({ host, port }), z.object({ path: socketPath })]));

/** `take`: the other end of a connection that was told of; the stream is its bytes. Without it, a socket is made for as long as the stream is. */
export const keysRequest = whose.extend({
  login: osLogin,
  take: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});
export const KEYS_MESSAGE_BYTES = 1024;
/** First that the socket is there, in the environment of what runs later; then each connection to it. */
export const keysSaid = z.union([
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('came'), connection: z.string().regex(/^[0-9a-f]{32}$/) }),
]);
export type KeysSaid = z.output<typeof keysSaid>;

export const loginRequest = whose.extend({ login: osLogin });

export const loginAnswer = z.object({
  ok: z.boolean(),
  /** Why not, for the one who asks: no such user, not allowed by the agent's configuration, no shell. */
  reason: z.string().max(500).default(''),
});
