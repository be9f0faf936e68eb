/** The handshake spoken message by message, for tests that lie in one of them. */
import { type KeyObject, sign } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { CHALLENGE_BYTES, challenge, VERDICT_BYTES, verdict } from '@gatehouse/contract/reach/tunnel/handshake';
import { agentKeyOf, proofBytes } from '../src/handshake/agent-key.ts';
import { readMessage } from '../src/messages.ts';
import { TEST_HELLO } from './test-agent.ts';

/** A proof as an honest agent makes it, with room for one lie. */
export function proofFor(
  asked: Buffer,
  key: KeyObject,
  lie: { claim?: KeyObject; payload?: object; binding?: Buffer } = {},
) {
  const honest = { version: 1, key: agentKeyOf(lie.claim ?? key).publicKey, audience: 'localhost', hello: TEST_HELLO };
  const payload = Buffer.from(JSON.stringify({ ...honest, ...lie.payload }));
  const signature = sign(null, proofBytes({ challenge: asked, binding: lie.binding, payload }), key);
  return { type: 'proof', payload: payload.toString('base64url'), signature: signature.toString('base64url') };
}

export async function hearChallenge(stream: Duplex) {
  return await readMessage(stream, challenge, { maxBytes: CHALLENGE_BYTES });
}

export async function hearVerdict(stream: Duplex) {
  return (await readMessage(stream, verdict, { maxBytes: VERDICT_BYTES })).value;
}
