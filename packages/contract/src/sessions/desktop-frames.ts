/**
 * One browser tab on one desktop, over a websocket of our own. Texts are JSON; binary frames begin with their type.
 *
 *   console  hello(token)                          as on every socket of ours
 *   console  open(desktop, login, …) | attach(sid, mode, …)
 *   gateway  factor(challenge)                     only where a role asks for a second factor; answered by factor(answer)
 *   gateway  state(sid, …)                         the session is there; the host may still have to be waited for, as `flow` says
 *   gateway  segment(width, height)                the host has let them in: the page throws away the client it has and begins one
 *   gateway  0x01 bytes                            what the host draws: for RDP one whole PDU, for VNC any bytes
 *   console  0x01 bytes                            what the client of the page says: its side of the handshake, input
 *   both     0x02 bytes                            directory sharing: one message of sessions/directory-messages.ts
 *   gateway  0x03 bytes                            what the host plays: channels (8 bits), samples a second (32), then samples of 16, lower bytes first
 *   gateway  size | parties | notice | clipboard | shared
 *   gateway  flow(live | waiting | frozen)         nothing is typed nor drawn before `live` comes
 *   console  resize(width, height, scale)          where the engine of the page cannot ask for it itself
 *   console  watch(hidden)                         nobody looks at the page: the host need not draw
 *   console  sound(isOn)                           this page plays it, or no longer: what is not asked for is not sent
 *   console  unshare                               the folder is shared no longer
 *   console  transfer(isOn)                        the gateway keeps a folder for this session, or no longer: a drive of the desktop
 *   gateway  transfer(is, files, …)                how it stands, and what was put into its `Download`; again whenever that changes
 *   console  upload(id, name, size) | download(id, path)
 *   gateway  ticket(id, url | why)                 where the bytes go or come from: kinds/desktop/transfer.ts
 *   console  ping(id) / gateway pong(id)
 *   console  end(reason)                           the owner closes it, or a moderator ends it; anybody else only leaves
 *   gateway  ended(cause, message)                 the session is over; the socket closes with 1000
 *   gateway  refused(code, message)                nothing was opened; the socket closes
 *
 * Closing the socket ends nothing by itself: the session waits to be attached again as terminals do. The first page of a session
 * makes the handshake with the host itself; whoever attaches later is sent the handshake that was, and what is on the screen.
 * What such a page says in its handshake goes nowhere; its input does, where it may type.
 */
import { z } from 'zod';
import { authenticateChallenge, factorAnswer } from '../identity/webauthn.ts';
import { typedLogin } from '../kinds/desktop/desktop-spec.ts';
import { MAX_TRANSFER_PATH } from '../kinds/desktop/transfer.ts';
import { refusedFrame } from '../wire/last-frames.ts';
import { END_CAUSES, FLOWS, MAX_REASON, PARTICIPANT_MODES, party, sessionId, sessionNeed } from './terminal-frames.ts';

export const DESKTOP_SOCKET = '/v1/webapi/sites/:clusterId/desktop';

export const PICTURE_FRAME = 0x01;
export const FILES_FRAME = 0x02;
export const SOUND_FRAME = 0x03;
/** Before the samples. */
export const SOUND_HEAD_BYTES = 5;
/** A longer frame of a page closes the socket. */
export const MAX_PAGE_FRAME = 1024 * 1024 + 64 * 1024;
export const MIN_DESKTOP_SIDE = 200;
export const MAX_DESKTOP_SIDE = 8192;
export const MAX_DESKTOP_PASSWORD = 256;
/** Longer, it is refused with a notice and the session goes on. */
export const MAX_CLIPBOARD_BYTES = 1024 * 1024;

const side = z.int().min(MIN_DESKTOP_SIDE).max(MAX_DESKTOP_SIDE);
/** What the host should enlarge by, in percent. */
const scale = z.int().min(100).max(500);

export const desktopRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    desktop: z.string().min(1).max(253),
    login: typedLogin,
    width: side,
    height: side,
    scale,
    /** The layout of the person's keyboard as Windows counts them; 0: unknown. */
    keyboard: z.int().min(0).max(0xffff_ffff),
    /** Drawn by the tab: asking twice with the same one, because the first answer was lost, opens one session. */
    request: z.uuid(),
    /** Where none is stored: used once and kept nowhere. */
    password: z.string().max(MAX_DESKTOP_PASSWORD).optional(),
  }),
  z.object({
    type: z.literal('attach'),
    sid: sessionId,
    mode: z.enum(PARTICIPANT_MODES).optional(),
    width: side,
    height: side,
  }),
]);
export type DesktopRequest = z.output<typeof desktopRequest>;

export const desktopCommand = z.discriminatedUnion('type', [
  factorAnswer.extend({ type: z.literal('factor') }),
  z.object({ type: z.literal('resize'), width: side, height: side, scale }),
  z.object({ type: z.literal('watch'), isHidden: z.boolean() }),
  z.object({ type: z.literal('sound'), isOn: z.boolean() }),
  z.object({ type: z.literal('unshare') }),
  z.object({ type: z.literal('transfer'), isOn: z.boolean() }),
  z.object({
    type: z.literal('upload'),
    id: z.int().min(0),
    /** With the folders that it lay in. */
    name: z.string().min(1).max(MAX_TRANSFER_PATH),
    size: z.int().min(0),
  }),
  z.object({ type: z.literal('download'), id: z.int().min(0), path: z.string().min(1).max(MAX_TRANSFER_PATH) }),
  z.object({ type: z.literal('ping'), id: z.int().min(0) }),
  z.object({ type: z.literal('end'), reason: z.string().max(MAX_REASON).optional() }),
]);
export type DesktopCommand = z.output<typeof desktopCommand>;

export const desktopReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('factor'), challenge: authenticateChallenge }),
  z.object({
    type: z.literal('state'),
    sid: sessionId,
    desktop: z.object({ id: z.string(), name: z.string() }),
    login: z.string(),
    user: z.string(),
    mode: z.enum(PARTICIPANT_MODES),
    created: z.string(),
    protocol: z.enum(['rdp', 'vnc']),
    width: z.int(),
    height: z.int(),
    /** Whether roles let it be shared both ways. */
    clipboard: z.boolean(),
    directories: z.boolean(),
    recorded: z.boolean(),
  }),
  z.object({ type: z.literal('segment'), width: z.int(), height: z.int() }),
  z.object({ type: z.literal('size'), width: z.int(), height: z.int() }),
  z.object({ type: z.literal('parties'), parties: z.array(party) }),
  z.object({
    type: z.literal('flow'),
    flow: z.enum(FLOWS),
    since: z.string(),
    needs: z.array(sessionNeed),
    /** Users who could join so that it goes on, the first few. */
    could: z.array(z.string()),
  }),
  z.object({
    type: z.literal('notice'),
    kind: z.enum(['ends_soon', 'idle_soon', 'unrecorded', 'clipboard', 'slow', 'waiting', 'certificate', 'blank']),
    text: z.string(),
  }),
  /** Something passed, or did not: `refused` says why. */
  z.object({
    type: z.literal('clipboard'),
    direction: z.enum(['send', 'receive']),
    length: z.int(),
    refused: z.string().optional(),
  }),
  /** The folder of this page is there for the host, is not any more, or never was; where it was not the page that ended it, `why`. */
  z.object({
    type: z.literal('shared'),
    is: z.enum(['on', 'off', 'refused']),
    name: z.string(),
    why: z.string().optional(),
  }),
  /** The folder that the gateway keeps. `asking`: the host has not taken it yet. */
  z.object({
    type: z.literal('transfer'),
    is: z.enum(['asking', 'on', 'off', 'refused']),
    why: z.string().optional(),
    /** Put into `Download` there; the first of them. */
    files: z.array(z.object({ path: z.string(), size: z.number(), modified: z.number() })),
    more: z.int(),
    freeBytes: z.number(),
  }),
  z.object({ type: z.literal('ticket'), id: z.int(), url: z.string().optional(), why: z.string().optional() }),
  z.object({
    type: z.literal('pong'),
    id: z.int(),
  }),
  z.object({
    type: z.literal('ended'),
    cause: z.enum(END_CAUSES),
    message: z.string(),
    recorded: z.boolean().optional(),
  }),
  /** `password`: one must be typed, or the one that was is wrong. */
  refusedFrame,
]);
export type DesktopReply = z.output<typeof desktopReply>;
