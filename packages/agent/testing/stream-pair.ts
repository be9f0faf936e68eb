/** Two ends of one stream that behave as those of a tunnel: a cut on one side is a cut on the other. */
import { type Duplex, duplexPair } from 'node:stream';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';

export function streamPair(): [Duplex, Duplex] {
  const [near, far] = duplexPair();
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  for (const end of [near, far]) end.on('error', () => {});
  return [near, far];
}

/** What an agent is offered, and what the gateway holds of it once it was accepted. */
export function offeredStream(): { offered: OfferedStream; near: Duplex } {
  const [near, far] = streamPair();
  const refuse = () => {
    throw new Error('refused by call instead of by a thrown refusal');
  };
  return { offered: { accept: () => far, acceptWithAnswer: () => far, refuse }, near };
}
