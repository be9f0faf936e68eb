/**
 * What a root and a leaf tell each other while the tunnel is up, on one stream of messages.
 *
 *   both   keys             first, and when they change: the keys that count, signed by the current one
 *   root   locks            the whole set in force: first, and whenever it changes
 *   leaf   wants            which traits its mapped roles ask for; again when they change
 *   leaf   watch            sign-ins that it has people of; all of them again after a reconnect
 *   root   changed          what somebody holds: for each who is watched, and when it changes
 *   root   over             that sign-in has ended
 *   leaf   challenge        a second factor is wanted for a session          root   challenged
 *   leaf   answer           what the browser gave                            root   answered
 *   leaf   session          one was opened, for the root's audit log
 */
import { z } from 'zod';
import { END_REASONS } from '../../identity/sign-ins.ts';
import { authenticateChallenge, factorAnswer } from '../../identity/webauthn.ts';
import { clusterId, publicKey32 } from './cluster-entry.ts';

/** A longer message ends the tunnel. */
export const NEWS_BYTES = 256 * 1024;
/** In one message. */
export const MAX_TOLD_LOCKS = 200;
export const MAX_TOLD_SIGN_INS = 1_000;
export const ANNOUNCEMENT_CHARACTERS = 4096;

const anyNews = z.object({ type: z.string().min(1).max(64) });
const word = z.string().min(1).max(256);
const askId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const traits = z.record(word, z.array(z.string().max(1024)).max(256));

export const heldLock = z.object({
  id: word,
  /** Whom or what it holds at the root: one of the two. */
  user: word.optional(),
  role: word.optional(),
  message: z.string().max(500),
  /** In milliseconds; absent: until it is lifted. */
  expires: z.number().int().optional(),
});
export type HeldLock = z.output<typeof heldLock>;

/** In a compact JWS of the key that signs now. */
export const keyAnnouncement = z.object({
  v: z.literal(1),
  iss: clusterId,
  aud: clusterId,
  key: publicKey32,
  next: publicKey32.optional(),
  /** By the next key itself, that it is theirs: without it whoever reads of a key could announce it first. */
  proof: z.string().max(1024).optional(),
});

/** In a compact JWS of the key it is about. */
export const keyProof = z.object({ v: z.literal(1), iss: clusterId, aud: clusterId, key: publicKey32 });
const keys = z.object({ type: z.literal('keys'), announcement: z.string().max(ANNOUNCEMENT_CHARACTERS) });

export const rootNews = z.discriminatedUnion('type', [
  keys,
  /** `more`: the rest of the set is in the next one. */
  z.object({ type: z.literal('locks'), locks: z.array(heldLock).max(MAX_TOLD_LOCKS), more: z.boolean() }),
  z.object({ type: z.literal('over'), sid: word, reason: z.enum(END_REASONS).catch('ended_by_provider') }),
  z.object({
    type: z.literal('changed'),
    sub: word,
    /** Seconds of the root's clock: what it said of them until then does not count any more. */
    at: z.number().int().min(0),
    /** The number of what they hold, as passports have it. */
    version: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    roles: z.array(word).max(256),
    traits,
  }),
  z.object({
    type: z.literal('challenged'),
    ask: askId,
    challenge: authenticateChallenge.optional(),
    error: z.string().max(500).optional(),
  }),
  z.object({ type: z.literal('answered'), ask: askId, error: z.string().max(500).optional() }),
]);
export type RootNews = z.output<typeof rootNews>;

export const leafNews = z.discriminatedUnion('type', [
  keys,
  z.object({ type: z.literal('wants'), traits: z.array(word).max(256) }),
  z.object({ type: z.literal('watch'), sids: z.array(word).max(MAX_TOLD_SIGN_INS) }),
  z.object({ type: z.literal('challenge'), ask: askId, sid: word }),
  z.object({ type: z.literal('answer'), ask: askId, sid: word, answer: factorAnswer }),
  z.object({
    type: z.literal('session'),
    sid: word,
    session: z.uuid(),
    kind: z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/),
    resource: z.string().max(256),
  }),
]);
export type LeafNews = z.output<typeof leafNews>;

const LEAF_TYPES = typesOf(leafNews);
const ROOT_TYPES = typesOf(rootNews);

/** Undefined for what only a newer version tells; throws for what has another shape. */
export function readLeafNews(message: unknown): LeafNews | undefined {
  return LEAF_TYPES.has(anyNews.parse(message).type) ? leafNews.parse(message) : undefined;
}

/** Undefined for what only a newer version tells; throws for what has another shape. */
export function readRootNews(message: unknown): RootNews | undefined {
  return ROOT_TYPES.has(anyNews.parse(message).type) ? rootNews.parse(message) : undefined;
}

function typesOf({ options }: typeof leafNews | typeof rootNews): ReadonlySet<string> {
  return new Set(options.map(({ shape }) => shape.type.value));
}
