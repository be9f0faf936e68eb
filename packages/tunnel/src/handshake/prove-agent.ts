/** The agent's side of the handshake: answers the challenge, and hears whether it may stay. */
import {
  CHALLENGE_BYTES,
  type ChannelBinding,
  challenge,
  type ProofPayload,
  TUNNEL_VERSION,
  type TunnelHello,
  VERDICT_BYTES,
  verdict,
} from '@gatehouse/contract/reach/tunnel/handshake';
import type { Link } from '../link.ts';
import { readMessage, writeMessage } from '../messages.ts';
import { TunnelError } from '../tunnel-error.ts';
import { type ProofSigner, signProof } from './agent-key.ts';

interface Proving {
  signer: ProofSigner;
  hello: TunnelHello;
  /** Host and port that were dialled. */
  audience: string;
  signal: AbortSignal;
}

/** Returns when the gateway has accepted; the next byte on the link is HTTP/2. */
export async function proveAgent(link: Link, { signer, hello, audience, signal }: Proving): Promise<void> {
  const { stream } = link;
  const { value: asked, bytes } = await readMessage(stream, challenge, { maxBytes: CHALLENGE_BYTES, signal });
  if (asked.version !== TUNNEL_VERSION) {
    throw new TunnelError(
      'refused',
      `the gateway speaks version ${asked.version} of the tunnel, this agent ${TUNNEL_VERSION}`,
    );
  }
  const binding = bindingFor(link, asked.binding);
  const said: ProofPayload = { version: TUNNEL_VERSION, key: signer.publicKey, audience, hello };
  const payload = Buffer.from(JSON.stringify(said));
  await writeMessage(stream, {
    type: 'proof',
    payload: payload.toString('base64url'),
    signature: await signProof(signer, { challenge: bytes, binding, payload }),
  });

  const { value: answer } = await readMessage(stream, verdict, { maxBytes: VERDICT_BYTES, signal });
  if (answer.type === 'accepted') return;
  const { reason, retry, retryAfterMs } = answer;
  throw new TunnelError('refused', `the gateway refused this ${hello.kind ?? 'agent'}: ${reason}`, {
    retry,
    retryAfterMs,
  });
}

function bindingFor(link: Link, wanted: ChannelBinding): Buffer | undefined {
  if (wanted === 'none') return undefined;
  if (link.binding) return link.binding;
  throw new TunnelError('untrusted', 'the gateway binds the proof to TLS 1.3, which this connection is not');
}
