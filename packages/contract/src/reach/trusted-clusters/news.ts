/**
 * What a root and a leaf tell each other while the tunnel is up, on one stream of messages.
 *
 *   root   keys             first: the keys that count, signed by the current one
 *   root   locks(all)       the whole set in force, before anything else is believed
 *   leaf   wants(traits)    which traits its mapped roles ask for; again when they change
 *   leaf   watch(sid…)      sign-ins it has sessions of; again after a reconnect
 *   root   over(sid)        that sign-in has ended, or its user is gone
 *   root   changed(…)       roles or traits of somebody are others now
 *   root   lock | unlock    set or lifted
 *   leaf   challenge(…)     a second factor is wanted for a session; root  challenged(…)
 *   leaf   answer(…)        what the browser said;                     root  answered(…)
 *   leaf   session(…)       one was opened, for the root's audit log
 */
import { z } from 'zod';

/** A longer message ends the tunnel. */
export const NEWS_BYTES = 256 * 1024;

const word = z.string().min(1).max(256);
const askId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const traits = z.record(word, z.array(z.string().max(1024)).max(256));

export const heldLock = z.object({
  id: word,
  /** Whom or what it holds at the root. */
  user: word.optional(),
  role: word.optional(),
  message: z.string().max(500),
  /** In milliseconds; absent: until it is lifted. */
  expires: z.number().int().optional(),
});
export type HeldLock = z.output<typeof heldLock>;

export const rootNews = z.discriminatedUnion('type', [
  /** The keys that count, in a compact JWS of the current one: `{v, iss, aud, key, next?, iat}`. */
  z.object({ type: z.literal('keys'), announcement: z.string().max(4096) }),
  z.object({ type: z.literal('locks'), locks: z.array(heldLock).max(1_000), more: z.boolean() }),
  z.object({ type: z.literal('lock'), lock: heldLock }),
  z.object({ type: z.literal('unlock'), id: word }),
  z.object({ type: z.literal('over'), sid: word, reason: z.string().max(200) }),
  z.object({
    type: z.literal('changed'),
    sub: word,
    roles: z.array(word).max(256),
    traits,
  }),
  z.object({
    type: z.literal('challenged'),
    ask: askId,
    challenge: z.unknown(),
    error: z.string().max(500).optional(),
  }),
  z.object({ type: z.literal('answered'), ask: askId, ok: z.boolean(), error: z.string().max(500).optional() }),
]);
export type RootNews = z.output<typeof rootNews>;

export const leafNews = z.discriminatedUnion('type', [
  z.object({ type: z.literal('wants'), traits: z.array(word).max(256) }),
  z.object({ type: z.literal('watch'), sids: z.array(word).max(1_000) }),
  z.object({ type: z.literal('challenge'), ask: askId, sid: word }),
  z.object({ type: z.literal('answer'), ask: askId, sid: word, answer: z.unknown() }),
  z.object({
    type: z.literal('session'),
    sid: word,
    session: word,
    kind: word,
    resource: z.string().max(256),
  }),
]);
export type LeafNews = z.output<typeof leafNews>;
