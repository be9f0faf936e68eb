/**
 * How an agent and a gateway come to share one connection that carries many byte streams.
 *
 *   agent    GET …  Upgrade: tunnel/1             or a websocket with the subprotocol tunnel.1, binary, same bytes inside
 *   gateway  101
 *            ── from here: messages, each a 32-bit big-endian length and that many bytes of JSON ──
 *   gateway  challenge(version, nonce, binding)
 *   agent    proof(payload, signature)            within 10 s; payload: version, key, audience, hello
 *   gateway  accepted | refused(code, reason, retry, retryAfterMs?), then it closes
 *            ── from here: HTTP/2 with the roles turned round, the gateway is the client ──
 *   gateway  CONNECT tunnel.control               stays open for life; farewells travel on it, see streams.ts
 *   agent    200
 *   gateway  CONNECT target                       one per byte stream, many at once
 *   agent    200 | 4xx, 5xx with a refusal
 *   both     PING every 3 s                       a peer that is silent for 8 s is dead
 *
 * The signature is Ed25519 over PROOF_CONTEXT, a zero byte, and the SHA-256 of each of: the challenge as it was sent, the
 * channel binding, the payload as it was sent. The binding is what both ends of one TLS connection know and nobody between
 * two connections can make equal: a proof passed on by a machine in the middle does not fit the connection it arrives on.
 * Behind a balancer that ends TLS there is none; then only the nonce and the audience tie the proof to this gateway.
 */
import { z } from 'zod';

export const TUNNEL_PATH = '/v1/tunnel';
export const TUNNEL_VERSION = 1;
export const TUNNEL_UPGRADE = 'tunnel/1';
export const TUNNEL_SUBPROTOCOL = 'tunnel.1';

export const PROOF_CONTEXT = 'gatehouse tunnel proof 1';
/** RFC 5705 and RFC 8446 §7.5. */
export const BINDING_LABEL = 'EXPORTER-gatehouse-tunnel-1';
export const BINDING_BYTES = 32;

/** A longer message is cut before it is read. */
export const CHALLENGE_BYTES = 1024;
export const PROOF_BYTES = 24 * 1024;
export const VERDICT_BYTES = 4 * 1024;

const bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');
const bytes64 = z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'must be 64 bytes in base64url');

/** What the agent says of itself. Nothing in it is believed because it is signed: the key says who, this says what. */
export const tunnelHello = z.object({
  /** Absent: an agent. A `cluster` joined as a leaf, and proves its federation key. */
  kind: z.literal('cluster').optional(),
  /** Version of the agent's program. */
  version: z.string().min(1).max(64),
  hostname: z.string().min(1).max(253),
  /** Drawn anew by each process: tells a reconnect from a second process with a copied key. */
  instanceId: z.string().min(1).max(64),
  /** How many resources of each kind it offers; the resources themselves come with its heartbeats. */
  offers: z
    .record(z.string().min(1).max(32), z.int().min(0).max(1_000_000))
    .refine((offers) => Object.keys(offers).length <= 32, 'has more than 32 kinds'),
});
export type TunnelHello = z.output<typeof tunnelHello>;

export const CHANNEL_BINDINGS = ['tls-exporter', 'none'] as const;
export type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

export const challenge = z.object({
  type: z.literal('challenge'),
  version: z.int().min(1).max(1000),
  nonce: bytes32,
  binding: z.enum(CHANNEL_BINDINGS),
});
export type Challenge = z.output<typeof challenge>;

export const proof = z.strictObject({
  type: z.literal('proof'),
  /** base64url of the JSON of `proofPayload`: the bytes that are verified are the bytes that are parsed. */
  payload: z.string().regex(/^[A-Za-z0-9_-]{1,22000}$/, 'must be base64url'),
  signature: bytes64,
});

export const proofPayload = z.object({
  version: z.int().min(1).max(1000),
  /** The agent's Ed25519 public key. */
  key: bytes32,
  /** Host and port the agent dialled. */
  audience: z.string().min(1).max(300),
  hello: tunnelHello,
});
export type ProofPayload = z.output<typeof proofPayload>;

export const REFUSAL_CODES = ['bad_proof', 'unknown_agent', 'not_allowed', 'version', 'busy', 'unavailable'] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export const verdict = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accepted') }),
  z.object({
    type: z.literal('refused'),
    code: z.enum(REFUSAL_CODES),
    reason: z.string().max(1000),
    /** False when the same agent will be refused again until a person changes something. */
    retry: z.boolean(),
    retryAfterMs: z.int().min(0).max(3_600_000).optional(),
  }),
]);
export type Verdict = z.output<typeof verdict>;
