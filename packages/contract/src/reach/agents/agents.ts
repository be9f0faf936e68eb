/** Agents: how one joins with a token, and what administrators see of them. */
import { z } from 'zod';
import { nodeName } from '../../kinds/node/node-spec.ts';
import { ack } from '../../wire/ack.ts';
import { defineRoutes } from '../../wire/route.ts';
import { iamProof } from '../join-tokens/iam.ts';
import { JOIN_ROLES, type JoinRole } from '../join-tokens/join-tokens.ts';

export const agentItem = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.enum(Object.keys(JOIN_ROLES) as [JoinRole, ...JoinRole[]])),
  /** SHA-256 of its public key, as `SHA256:…`. */
  fingerprint: z.string(),
  version: z.string(),
  joined: z.string(),
  /** Who made the token it joined with. */
  joinedBy: z.string(),
  connected: z.boolean(),
  /** Empty before its first connection. */
  lastSeen: z.string(),
  /** Where it came from at its last connection. */
  address: z.string(),
  resources: z.number().int(),
});
export type AgentItem = z.output<typeof agentItem>;

export const agentRoutes = defineRoutes({
  joinChallenge: {
    method: 'POST',
    path: '/v1/webapi/agents/join/challenge',
    summary: 'What a machine that joins has to sign, for two minutes.',
    auth: 'public',
    reply: z.object({ nonce: z.string() }),
  },
  join: {
    method: 'POST',
    path: '/v1/webapi/agents/join',
    summary:
      'A machine becomes an agent: shows a join token and leaves the public key it holds, which it proves by a signature.',
    auth: 'public',
    body: z.strictObject({
      token: z.string().min(1).max(512),
      /** Ed25519 public key, 32 bytes in base64url. */
      key: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url'),
      name: nodeName,
      version: z.string().min(1).max(64),
      /** Of a challenge. */
      nonce: z.string().min(1).max(256),
      /** Host and port the machine dialled. */
      audience: z.string().min(1).max(300),
      /** By that key, over nonce, token, name and audience: see `handshake/join-proof.ts` of the tunnel. */
      signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'must be 64 bytes in base64url'),
      /** With a token of the method `iam`: a request to STS, signed with the machine's credentials and bound to all of the above. */
      iam: iamProof.optional(),
    }),
    reply: z.object({
      agentId: z.string(),
      cluster: z.string(),
      /** Labels the token gives; the agent carries them beside its own. */
      labels: z.record(z.string(), z.string()),
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/webapi/agents',
    summary: 'Every agent that has joined, connected or not.',
    auth: 'signed-in',
    needs: ['tokens', 'list'],
    reply: z.array(agentItem),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/agents/:id',
    summary: 'Forgets an agent, by id or name: it is disconnected, what it offered is gone, and its key opens nothing.',
    auth: 'signed-in',
    needs: ['tokens', 'remove'],
    reply: ack,
  },
});
