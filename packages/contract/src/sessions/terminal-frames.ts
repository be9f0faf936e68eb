/**
 * One browser tab on one terminal, over a websocket of our own. Texts are JSON; bytes of the terminal are binary frames.
 *
 *   console  hello(token)                          as on every socket of ours
 *   console  open(server, login, …) | exec(cluster, namespace, pod, …) | attach(sid, from, …)
 *   gateway  factor(challenge)                     only where the role asks for a second factor; answered by factor(answer)
 *   gateway  state(sid, …)                         who and what, and where output and input stand
 *   gateway  screen(offset, ansi, …)               to who asked without `from`: the screen as it is; output goes on from its offset
 *   gateway  0x01 offset(64 bits) bytes            output, from the offset that `state.from` names, without holes
 *   console  seen(offset)                          the page has drawn up to here; the gateway runs at most AHEAD_BYTES ahead
 *   console  0x11 offset(64 bits) bytes            input, counted by its writer; repeated from `taken` on after a reconnect
 *   gateway  taken(offset)                         input the shell has been given
 *   console  resize(cols, rows)
 *   gateway  size | program | parties | notice
 *   gateway  flow(live | waiting | frozen)         nothing is typed nor shown before `live` comes; see below
 *   console  ping(id) / gateway pong(id)
 *   console  end(reason)                           the owner closes it, or a moderator ends it; anybody else only leaves
 *   gateway  ended(reason, …)                      the session is over; the socket closes with 1000
 *   gateway  refused(code, message)                nothing was opened; the socket closes
 *
 * Closing the socket ends nothing by itself: the session waits to be attached again, 30 s after a close with 1000 or 1001
 * (the page went away), 5 minutes after any other (the network did). `attach` to a session that is over is answered with
 * what is left of its output and `ended`. Before `state` a `notice` may say what is waited for.
 *
 * A moderated session is `waiting` until those have joined whom a role of the owner wants in it: there is no shell yet.
 * It is `frozen` from the moment they leave. Input that reaches the gateway meanwhile is passed over; with the next
 * `live` it is sent again from `flow.taken` on.
 */
import { z } from 'zod';
import { authenticateChallenge, factorAnswer } from '../identity/webauthn.ts';
import { kinds } from '../kinds/kinds.ts';
import { kubeName, kubeNamespace } from '../kinds/kube/kube-spec.ts';
import { osLogin } from '../kinds/node/node-spec.ts';
import { refusedFrame } from '../wire/last-frames.ts';
import { screenCols, screenRows } from './screen-size.ts';

export const TERMINAL_SOCKET = '/v1/webapi/sites/:clusterId/terminal';

export const OUTPUT_FRAME = 0x01;
export const INPUT_FRAME = 0x11;
/** Type and offset before the bytes of a binary frame. */
export const FRAME_HEADER_BYTES = 9;
/** What may be on its way to a browser that has not said it was seen. */
export const AHEAD_BYTES = 1024 * 1024;
/** Most bytes in one frame of input. A writer may run UNTAKEN_BYTES of shell-frames.ts ahead of `taken`. */
export const MAX_INPUT_BYTES = 32 * 1024;

/** What a session is ended with, for its people. */
export const MAX_REASON = 500;

const offset = z.int().min(0);
export const sessionId = z.uuid();
/** Drawn by each tab; its input is counted under this number, see reach/agents/shell-frames.ts. */
const writer = z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits');
export const PARTICIPANT_MODES = ['observer', 'moderator', 'peer'] as const;
export type ParticipantMode = (typeof PARTICIPANT_MODES)[number];

const podName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'is no name of a pod');
const containerName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'is no name of a container');

export const terminalRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    /** What it is on; a server where nothing is said. */
    kind: z.enum(kinds).optional(),
    /** Id, name or host name. */
    server: z.string().min(1).max(253),
    login: osLogin,
    /** The name of the terminal it is shown on, as programs there know it; one like our own where nothing is said. */
    term: z
      .string()
      .regex(/^[\w.+-]{1,64}$/, 'is no name of a terminal')
      .optional(),
    cols: screenCols,
    rows: screenRows,
    writer,
    /** Drawn by the tab: asking twice with the same one, because the first answer was lost, opens one session. */
    request: z.uuid(),
  }),
  z.object({
    type: z.literal('exec'),
    /** The name of a Kubernetes cluster. A shell is begun in one of its pods: bash where it is there, else sh. */
    cluster: kubeName,
    namespace: kubeNamespace,
    pod: podName,
    /** Absent: the one the cluster takes for the main one. */
    container: containerName.optional(),
    /** Which of the users that roles give; without it, the one kubectl would be. */
    user: z.string().min(1).max(256).optional(),
    cols: screenCols,
    rows: screenRows,
    writer,
    request: z.uuid(),
  }),
  z.object({
    type: z.literal('attach'),
    sid: sessionId,
    /** Output the tab has already; absent: it is shown the screen as it is. */
    from: offset.optional(),
    mode: z.enum(PARTICIPANT_MODES).optional(),
    cols: screenCols,
    rows: screenRows,
    writer,
  }),
]);
export type TerminalRequest = z.output<typeof terminalRequest>;

export const terminalCommand = z.discriminatedUnion('type', [
  factorAnswer.extend({ type: z.literal('factor') }),
  z.object({ type: z.literal('seen'), offset }),
  z.object({ type: z.literal('resize'), cols: screenCols, rows: screenRows }),
  z.object({ type: z.literal('ping'), id: offset }),
  z.object({ type: z.literal('end'), reason: z.string().max(MAX_REASON).optional() }),
]);
export type TerminalCommand = z.output<typeof terminalCommand>;

export const party = z.object({
  id: z.string(),
  user: z.string(),
  mode: z.enum(PARTICIPANT_MODES),
  /** The one this message goes to. */
  self: z.boolean(),
  since: z.string(),
  lastActive: z.string(),
  /** Within the last moments. */
  typing: z.boolean(),
});
export type Party = z.output<typeof party>;

export const FLOWS = ['live', 'waiting', 'frozen'] as const;
export type Flow = (typeof FLOWS)[number];

/** One way to fulfil what a role asks for: `missing` more people in one of the modes. */
export const sessionNeed = z.object({
  role: z.string(),
  policy: z.string(),
  missing: z.int().min(0),
  modes: z.array(z.enum(PARTICIPANT_MODES)),
});
export type SessionNeed = z.output<typeof sessionNeed>;

/** Why a session is over. */
export const END_CAUSES = [
  'exited',
  'closed',
  'grace_over',
  'signed_out',
  /** At a leaf: the cluster that vouched for whoever opened it stayed away. */
  'root_lost',
  'ended_by',
  'denied',
  'locked',
  'max_length',
  'idle',
  'unrecorded',
  /** The one without whom a role does not let it go on. */
  'moderator_left',
  /** Whoever came with the same login: a desktop lets in one at a time. */
  'taken_over',
  'agent_lost',
  'target_lost',
  'gateway_stopping',
  /** Held by a gateway that is no more. */
  'gateway_lost',
  'failed',
] as const;
export type EndCause = (typeof END_CAUSES)[number];

export const terminalReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('factor'), challenge: authenticateChallenge }),
  z.object({
    type: z.literal('state'),
    sid: sessionId,
    server: z.object({ id: z.string(), name: z.string() }),
    login: z.string(),
    user: z.string(),
    mode: z.enum(PARTICIPANT_MODES),
    created: z.string(),
    /** Output begins here; later than what was asked for when the rest is only in the recording. */
    from: offset,
    taken: offset,
    cols: screenCols,
    rows: screenRows,
    recorded: z.boolean(),
    /** Whether the shell lives on when this gateway is lost. */
    survives: z.boolean(),
  }),
  z.object({ type: z.literal('taken'), offset }),
  /** In place of everything printed before `offset`: makes a terminal of that size the same as that of who was there. */
  z.object({ type: z.literal('screen'), offset, cols: screenCols, rows: screenRows, ansi: z.string() }),
  z.object({ type: z.literal('size'), cols: screenCols, rows: screenRows }),
  z.object({ type: z.literal('program'), program: z.string() }),
  z.object({ type: z.literal('parties'), parties: z.array(party) }),
  z.object({
    type: z.literal('flow'),
    flow: z.enum(FLOWS),
    since: z.string(),
    /** Input of this tab that the shell has been given. */
    taken: offset,
    needs: z.array(sessionNeed),
    /** Users who could join so that it goes on, the first few. */
    could: z.array(z.string()),
  }),
  /** Something the person should know: reconnecting to the agent, about to end, not recorded. */
  z.object({
    type: z.literal('notice'),
    kind: z.enum(['agent_lost', 'agent_back', 'ends_soon', 'idle_soon', 'unrecorded', 'skipped']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('pong'),
    id: offset,
    /** Round trip gateway–server in milliseconds, when known. */ serverMs: z.number().optional(),
  }),
  z.object({
    type: z.literal('ended'),
    cause: z.enum(END_CAUSES),
    /** For people: who ended it, or what went wrong. */
    message: z.string(),
    exitCode: z.int().optional(),
    /** Whether it can be looked at afterwards, as far as is known. */
    recorded: z.boolean().optional(),
  }),
  refusedFrame,
]);
export type TerminalReply = z.output<typeof terminalReply>;
