/** Events of servers: tokens, agents that join or are turned away, servers that are added, keys that changed, connections that were tried. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { anyObject, byUser, connection, ofResource, status } from '../../events/event-fields.ts';
import { line, when } from '../../events/line.ts';

const token = { ...byUser, name: z.string(), roles: z.array(z.string()), expires: z.string().optional() } as const;

export const joinTokenCreated = defineEvent({
  code: 'GH200I',
  event: 'join_token.create',
  label: 'Join Token Created',
  about: { kind: 'token', name: 'name' },
  fields: {
    ...token,
    uses: z.number().optional(),
    /** Absent: `token`. */
    method: z.string().optional(),
    /** Accounts and ARNs that join by `iam`. */
    allow: z.array(z.string()).optional(),
    apps: z.array(z.string()).optional(),
    /** Names and labels that its machines may offer, by the kind's path; `apps` is those of applications again. */
    offers: z.record(z.string(), z.array(z.string())).optional(),
    group: z.string().optional(),
    /** Database servers that may be signed with it. */
    hosts: z.array(z.string()).optional(),
    /** Labels of databases that its agents may look after. */
    matcher_labels: z.record(z.string(), z.array(z.string())).optional(),
  },
  tell: ({ user, name, roles }) => line`${user} made the join token ${name} for ${roles}`,
});

export const joinTokenDeleted = defineEvent({
  code: 'GH201I',
  event: 'join_token.delete',
  label: 'Join Token Deleted',
  about: { kind: 'token', name: 'name' },
  fields: { ...byUser, name: z.string() },
  tell: ({ user, name }) => line`${user} took back the join token ${name}`,
});

/** The wire reference's own event for an agent that joins. */
export const instanceJoined = defineEvent({
  code: 'TJ002I',
  event: 'instance.join',
  label: 'Instance Joined',
  about: { kind: 'agent', name: 'node_name' },
  fields: {
    ...status,
    ...connection,
    host_id: z.string().optional(),
    node_name: z.string().optional(),
    role: z.string().optional(),
    method: z.string().optional(),
    token_name: z.string().optional(),
    attributes: anyObject.optional(),
  },
  tell: ({ node_name, role, method }) => line`${node_name} joined as ${role} by ${method}`,
});

export const joinRefused = defineEvent({
  code: 'GH202W',
  event: 'instance.join.refused',
  label: 'Join Refused',
  fields: { ...connection, node_name: z.string(), reason: z.string(), token_name: z.string().optional() },
  tell: ({ node_name, reason }) => line`${node_name} was not let in: ${reason}`,
});

export const agentRefused = defineEvent({
  code: 'GH203W',
  event: 'agent.refused',
  label: 'Agent Refused',
  about: { kind: 'agent', name: 'node_name' },
  fields: { ...connection, host_id: z.string().optional(), node_name: z.string(), reason: z.string() },
  tell: ({ node_name, reason }) => line`the agent ${node_name} was refused: ${reason}`,
});

export const offerRefused = defineEvent({
  code: 'GH204W',
  event: 'agent.offer.refused',
  label: 'Offer of an Agent Refused',
  about: { kind: 'agent', name: 'node_name' },
  fields: {
    ...connection,
    host_id: z.string(),
    node_name: z.string(),
    resource_kind: z.string(),
    resource_name: z.string(),
    reason: z.string(),
  },
  tell: ({ node_name, resource_kind, resource_name, reason }) =>
    line`${resource_kind} ${resource_name} of the agent ${node_name} was not taken: ${reason}`,
});

export const agentRemoved = defineEvent({
  code: 'GH205I',
  event: 'agent.delete',
  label: 'Agent Deleted',
  about: { kind: 'agent', name: 'name' },
  fields: { ...byUser, name: z.string(), host_id: z.string() },
  tell: ({ user, name }) => line`${user} removed the agent ${name}`,
});

export const agentDialRefused = defineEvent({
  code: 'GH206W',
  event: 'agent.dial.refused',
  label: 'Address Refused by an Agent',
  about: { kind: 'agent', name: 'node_name' },
  fields: { ...byUser, host_id: z.string(), node_name: z.string(), target: z.string(), reason: z.string() },
  tell: ({ node_name, target, reason }) => line`the agent ${node_name} does not connect to ${target}: ${reason}`,
});

export const agentKeyShared = defineEvent({
  code: 'GH207W',
  event: 'agent.key.shared',
  label: 'Key of an Agent Used Twice',
  about: { kind: 'agent', name: 'node_name' },
  fields: { host_id: z.string(), node_name: z.string(), addresses: z.array(z.string()) },
  tell: ({ node_name, addresses }) => line`two processes use the key of the agent ${node_name}, from ${addresses}`,
});

const server = { ...byUser, name: z.string(), server_id: z.string(), server_addr: z.string().optional() } as const;

export const nodeAdded = defineEvent({
  code: 'GH210I',
  event: 'node.create',
  label: 'Server Added',
  about: { kind: 'node', name: 'name' },
  fields: { ...server, fingerprints: z.array(z.string()).optional(), token_name: z.string().optional() },
  tell: ({ user, name, server_addr }) => line`${user || 'a join token'} added the server ${name} at ${server_addr}`,
});

export const nodeHostKeysChanged = defineEvent({
  code: 'GH211I',
  event: 'node.host_keys.update',
  label: 'Pinned Host Keys Changed',
  about: { kind: 'node', name: 'name' },
  fields: { ...server, fingerprints: z.array(z.string()) },
  tell: ({ user, name }) => line`${user} changed the pinned host keys of the server ${name}`,
});

export const nodeChanged = defineEvent({
  code: 'GH217I',
  event: 'node.update',
  label: 'Server Changed',
  about: { kind: 'node', name: 'name' },
  fields: { ...server, labels: z.record(z.string(), z.string()) },
  tell: ({ user, name }) => line`${user} changed the server ${name}`,
});

export const nodeRemoved = defineEvent({
  code: 'GH212I',
  event: 'node.delete',
  label: 'Server Removed',
  about: { kind: 'node', name: 'name' },
  fields: server,
  tell: ({ user, name }) => line`${user} removed the server ${name}`,
});

export const hostKeyRefused = defineEvent({
  code: 'GH213W',
  event: 'node.host_key.refused',
  label: 'Host Key Refused',
  about: { kind: 'node', name: 'name' },
  fields: { ...server, fingerprint: z.string(), reason: z.string() },
  tell: ({ name, fingerprint, reason }) => line`the server ${name} showed the host key ${fingerprint}: ${reason}`,
});

export const sshAuthorityRotated = defineEvent({
  code: 'GH214I',
  event: 'ssh_authority.rotate',
  label: 'SSH Authority Rotated',
  fields: { ...byUser, fingerprint: z.string(), overlap_seconds: z.number() },
  tell: ({ user, fingerprint }) => line`${user} made ${fingerprint} the key that signs SSH certificates`,
});

export const connectionTried = defineEvent({
  code: 'GH215I',
  event: 'diagnostic.connection',
  label: 'Connection Tested',
  about: [
    { kind: '', name: 'resource_name', kindIn: 'resource_kind' },
    { kind: 'node', name: 'name' },
  ],
  fields: {
    ...server,
    ...ofResource,
    kind: z.string().optional(),
    /** It was about to be added, and is not there. */
    draft: z.boolean().optional(),
    success: z.boolean(),
    message: z.string(),
  },
  tell: ({ user, login, name, message }) =>
    line`${user} tested the connection${when(login, line` as ${login}`)} to ${name}: ${message}`,
});
