/** Servers: the list every client knows, and how administrators add, change and remove those with plain OpenSSH. */
import { z } from 'zod';
import { label } from '../../std/labels.ts';
import { hostPort, resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listOf, listQuery, listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { nodeName, sshPublicKey } from './node-spec.ts';

/** Whether it answered when it was last tried. An agent that is away takes its servers with it, so one that is listed is up. */
export const nodeStatus = z.enum(['online', 'unreachable', 'unknown']);
export type NodeStatus = z.output<typeof nodeStatus>;

/** What clients of the wire reference read, and `gatehouse` with what only our own look at. */
export const node = z.object({
  tunnel: z.boolean(),
  id: z.string(),
  siteId: z.string(),
  hostname: z.string(),
  /** Empty for a server that is reached through its own agent. */
  addr: z.string(),
  tags: z.array(label),
  /** `*` among them: any login may be typed. */
  sshLogins: listOf(z.string()),
  gatehouse: z
    .object({
      type: z.enum(['agent', 'openssh']),
      /** The agent that announces it, or through which it is dialled. */
      agent: z.string(),
      os: z.string(),
      arch: z.string(),
      version: z.string(),
      status: nodeStatus.optional(),
      /** When that was found out, and what was wrong; of servers with plain OpenSSH. */
      checkedAt: z.string().optional(),
      why: z.string().optional(),
      /** The last session there: of anybody, for who may list sessions; otherwise the caller's own. */
      lastUsed: z.object({ at: z.string(), user: z.string(), login: z.string() }).optional(),
    })
    .optional(),
});
export type Node = z.output<typeof node>;

export const nodeSummary = z.object({
  seen: z.number().int(),
  /** On which the caller has a login. */
  signIn: z.number().int(),
  online: z.number().int(),
  unreachable: z.number().int(),
  /** Not tried yet. */
  unknown: z.number().int(),
});
export type NodeSummary = z.output<typeof nodeSummary>;

const hostKeyList = z.array(sshPublicKey).max(16);

export const newNode = z.strictObject({
  name: nodeName,
  addr: hostPort,
  labels: resourceLabels.default({}),
  /** Left out, with no `hostFingerprint` and no authorities either: the gateway asks the server and pins what it shows now. */
  hostKeys: hostKeyList.min(1).optional(),
  /** `SHA256:…`: the server must show the key with this fingerprint now; then it is pinned. */
  hostFingerprint: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must look like SHA256: and 43 characters, as ssh-keygen -l prints it')
    .optional(),
  hostAuthorities: hostKeyList.default([]),
  /** Id or name of the agent that dials it. */
  through: z.string().max(253).optional(),
  sourceAddresses: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
    .max(16)
    .optional(),
});

/** As much of one as a test of the way to it looks at. */
export const nodeDraft = newNode
  .pick({ addr: true, labels: true, hostKeys: true, hostFingerprint: true })
  .extend({ name: nodeName.optional() })
  .strip();

/** What is left out stays as it is. */
export const nodeChange = z.strictObject({
  name: nodeName.optional(),
  addr: hostPort.optional(),
  labels: resourceLabels.optional(),
  /** Tells who would gain and lose, and changes nothing. */
  dryRun: z.boolean().default(false),
});

export const changedNode = z.object({
  node,
  /** Who can sign in there as whom by it, and no longer. */
  effects: z.object({
    items: z.array(z.object({ user: z.string(), gained: z.array(z.string()), lost: z.array(z.string()) })),
    /** People the caller may not know of, or too many to name. */
    hidden: z.number().int(),
  }),
});

/** What an administrator needs after adding one. */
export const addedNode = z.object({
  node,
  /** Lines for the server's TrustedUserCAKeys file. */
  authorities: z.array(z.string()),
  /** Fingerprints that are pinned, for comparing with the server's own. */
  hostFingerprints: z.array(z.string()),
});

const shownHostKey = z.object({ publicKey: z.string(), fingerprint: z.string() });

export const nodeRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/nodes',
    summary: 'The servers the caller sees, with the logins they may use on each.',
    auth: 'signed-in',
    needs: ['nodes', 'list'],
    query: listQuery.extend({
      /** Ours: only those of this state. */
      status: nodeStatus
        .or(z.literal(''))
        .optional()
        .transform((status) => status || undefined),
    }),
    reply: listReply(node),
  },
  summary: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/node-summary',
    summary: 'How many servers the caller sees, on how many they have a login, and how many answer.',
    auth: 'signed-in',
    needs: ['nodes', 'list'],
    reply: nodeSummary,
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/nodes/:id',
    summary: 'One server, by its id, or by its name where only one has it.',
    auth: 'signed-in',
    needs: ['nodes', 'list'],
    reply: node,
  },
  add: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/nodes',
    summary: 'Adds a server with plain OpenSSH; its host key is pinned now.',
    auth: 'signed-in',
    needs: ['nodes', 'create'],
    body: newNode,
    reply: addedNode,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/nodes/:id',
    summary:
      'Changes the name, address or labels of a server with plain OpenSSH, or tells who would gain and lose by it. Nobody gives more than they hold.',
    auth: 'signed-in',
    needs: ['nodes', 'edit'],
    body: nodeChange,
    reply: changedNode,
  },
  readHostKeys: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/nodes/:id/hostkeys',
    summary: 'The host keys a server shows now beside those that are pinned. Asks the server, and changes nothing.',
    auth: 'signed-in',
    needs: ['nodes', 'edit'],
    reply: z.object({ name: z.string(), pinned: z.array(shownHostKey), shown: z.array(shownHostKey) }),
  },
  setHostKeys: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/nodes/:id/hostkeys',
    summary: 'Replaces the pinned host keys of a server, after somebody has compared the new one.',
    auth: 'signed-in',
    needs: ['nodes', 'edit'],
    body: z.strictObject({ hostKeys: hostKeyList.min(1) }),
    reply: z.object({ hostFingerprints: z.array(z.string()) }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/nodes/:id',
    summary: 'Removes a server with plain OpenSSH. One that an agent announces goes with its agent.',
    auth: 'signed-in',
    needs: ['nodes', 'remove'],
    reply: ack,
  },
  enrol: {
    method: 'POST',
    path: '/v1/webapi/nodes/enrol',
    summary:
      'A server with plain OpenSSH adds itself with a join token, from the install script. Only host keys that it proves are pinned.',
    auth: 'public',
    body: z.strictObject({
      token: z.string().min(1).max(512),
      name: nodeName,
      addr: hostPort,
      hostKeys: hostKeyList.min(1),
      labels: resourceLabels.default({}),
      /** Of the challenge of joining agents. */
      nonce: z.string().min(1).max(256),
      /** Host and port the machine dialled. */
      audience: z.string().min(1).max(300),
      /**
       * What `ssh-keygen -Y sign -n enrol@gatehouse` says with each host key over these lines, each ended by a line end:
       * `gatehouse enrol proof 1`, nonce, token, name, addr, audience.
       */
      proofs: z.array(z.string().max(8192)).min(1).max(16),
    }),
    reply: z.object({ id: z.string(), authorities: z.array(z.string()) }),
  },
});
