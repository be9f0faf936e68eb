/** Decides about a cluster that has proved which key it holds. */
import type { TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import type { AgentKey } from '@gatehouse/tunnel/handshake/agent-key';
import type { Decision } from '@gatehouse/tunnel/handshake/challenge-agent';
import type { KnownLeaf, RootTrust } from './known-clusters.ts';

export type LeafDecision = { leaf: KnownLeaf } | { refused: Extract<Decision, { accept: false }> };

const UNKNOWN =
  'no cluster with this key has joined here, or it was removed: let its administrator join again with a new token';

export function authorizeLeaf({ leaves }: Pick<RootTrust, 'leaves'>, _hello: TunnelHello, key: AgentKey): LeafDecision {
  const leaf = leaves.byKey(key.publicKey);
  if (leaf) return { leaf };
  return { refused: { accept: false, code: 'unknown_agent', reason: UNKNOWN, retry: false } };
}
