/** The gateway's side of the handshake: asks for a proof, checks it, and lets its owner decide. */
import { randomBytes } from 'node:crypto';
import {
  type Challenge,
  PROOF_BYTES,
  type ProofPayload,
  proof,
  proofPayload,
  type RefusalCode,
  TUNNEL_VERSION,
  type TunnelHello,
  type Verdict,
} from '@gatehouse/contract/reach/tunnel/handshake';
import { withDeadline } from '../deadline.ts';
import type { Link } from '../link.ts';
import { parseMessage, readMessage, writeMessage } from '../messages.ts';
import { TunnelError } from '../tunnel-error.ts';
import { type AgentKey, agentKeyFrom, verifyProof } from './agent-key.ts';

/** A refused agent that may come back is not let to hammer: someone has to change something first. */
const MISFIT_RETRY_MS = 30_000;
const REFUSAL_FLUSH_MS = 1_000;

export type Decision =
  | { accept: true }
  | { accept: false; code: RefusalCode; reason: string; retry: boolean; retryAfterMs?: number };

/** Called once the agent has proved that it holds `key`. */
export type Authorize = (hello: TunnelHello, key: AgentKey, audience: string) => Decision | Promise<Decision>;

interface Challenging {
  authorize: Authorize;
  /** `none` behind a balancer that ends TLS; otherwise a TLS connection must be bound. */
  binding: 'auto' | 'none';
  /** Whether this gateway goes by the host and port the agent dialled. */
  isAudience: (host: string) => boolean;
  handshakeMs: number;
  signal: AbortSignal | undefined;
}

export interface ProvenAgent {
  key: AgentKey;
  hello: TunnelHello;
}

/** Returns after `accepted` has left; a refusal is sent, the link closed, and the reason thrown. */
export async function challengeAgent(link: Link, encrypted: boolean, options: Challenging): Promise<ProvenAgent> {
  const { handshakeMs: ms, signal } = options;
  const binding = options.binding === 'auto' ? link.binding : undefined;
  if (options.binding === 'auto' && encrypted && !binding) {
    return refuse(link, misfit('bad_proof', 'this gateway takes agents over TLS 1.3 only'));
  }
  const asked: Challenge = {
    type: 'challenge',
    version: TUNNEL_VERSION,
    nonce: randomBytes(32).toString('base64url'),
    binding: binding ? 'tls-exporter' : 'none',
  };
  const { said, challenge, payload, signature } = await withDeadline({ ms, what: 'the proof', signal }, (deadline) =>
    exchange(link, asked, deadline),
  );
  if (said.version !== TUNNEL_VERSION) {
    const reason = `the agent speaks version ${said.version} of the tunnel, this gateway ${TUNNEL_VERSION}`;
    return refuse(link, misfit('version', reason));
  }
  if (!verifyProof(said.key, signature, { challenge, binding, payload })) {
    return refuse(link, misfit('bad_proof', 'the proof does not fit the key or this connection'));
  }
  if (!options.isAudience(said.audience)) {
    return refuse(link, misfit('bad_proof', `this gateway is not '${said.audience}'`));
  }

  const key = agentKeyFrom(said.key);
  const decision = await options.authorize(said.hello, key, said.audience);
  if (!decision.accept) {
    const { accept: _, reason, ...rest } = decision;
    return refuse(link, { ...rest, reason: reason.slice(0, 1000) });
  }
  await send(link, { type: 'accepted' });
  return { key, hello: said.hello };
}

async function exchange(link: Link, asked: Challenge, signal: AbortSignal) {
  const challenge = await writeMessage(link.stream, asked);
  const { value } = await readMessage(link.stream, proof, { maxBytes: PROOF_BYTES, signal });
  if (link.stream.readableLength > 0) throw new TunnelError('bad_peer', 'the agent spoke before it was accepted');
  const payload = Buffer.from(value.payload, 'base64url');
  const said: ProofPayload = parseMessage(proofPayload, payload);
  return { said, challenge, payload, signature: value.signature };
}

type Refusal = Omit<Extract<Verdict, { type: 'refused' }>, 'type'>;

function misfit(code: RefusalCode, reason: string): Refusal {
  return { code, reason, retry: true, retryAfterMs: MISFIT_RETRY_MS };
}

async function refuse(link: Link, refusal: Refusal): Promise<never> {
  await send(link, { type: 'refused', ...refusal });
  link.stream.end();
  // The agent reads the reason and closes; one that does not is cut.
  setTimeout(() => link.stream.destroy(), REFUSAL_FLUSH_MS).unref();
  throw new TunnelError('refused', refusal.reason, { retry: refusal.retry });
}

async function send(link: Link, message: Verdict): Promise<void> {
  await withDeadline({ ms: REFUSAL_FLUSH_MS * 5, what: 'the verdict' }, () => writeMessage(link.stream, message));
}
