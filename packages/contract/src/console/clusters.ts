/** Clusters, the user context and alerts: what the console's shell asks for first. */
import { z } from 'zod';
import { wireAcl } from '../access/acl.ts';
import { ack } from '../wire/ack.ts';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';

/** In place of a cluster id, this means the gateway's own cluster. */
export const CURRENT_CLUSTER = '-current-';

export const cluster = z.object({
  name: z.string(),
  lastConnected: z.string(),
  status: z.enum(['online', 'offline']),
  nodeCount: z.number().int(),
  publicURL: z.string(),
  authVersion: z.string(),
  proxyVersion: z.string(),
  /** Ours: it joined this one, and who looks at it is known there by their name here. */
  leaf: z.boolean().optional(),
  /** Ours, of a leaf as it last told. */
  version: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  /** Ours: why it is offline, in words. */
  trouble: z.string().optional(),
});
export type Cluster = z.output<typeof cluster>;

export const userContext = z.object({
  authType: z.enum(['local', 'sso']),
  /** Ours: a password signs them in, whichever way they came. */
  hasPassword: z.boolean().optional(),
  userName: z.string(),
  userAcl: wireAcl,
  cluster,
  accessStrategy: z
    .object({ type: z.enum(['optional', 'always', 'reason']).default('optional'), prompt: z.string().default('') })
    .prefault({}),
  accessCapabilities: z
    .object({ requestableRoles: listOf(z.string()), suggestedReviewers: listOf(z.string()) })
    .prefault({ requestableRoles: null, suggestedReviewers: null }),
  accessRequestId: z.string().optional(),
});
export type UserContext = z.output<typeof userContext>;

export const ALERT_ON_LOGIN_LABEL = 'teleport.internal/alert-on-login';
export const ALERT_LINK_LABEL = 'teleport.internal/link';
/** Below 5 info, below 10 warning, else danger. */
export const ALERT_SEVERITIES = { low: 0, medium: 5, high: 10 } as const;

export const alert = z.object({
  kind: z.literal('cluster_alert'),
  version: z.string(),
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    expires: z.string().optional(),
  }),
  spec: z.object({ severity: z.number().int(), message: z.string(), created: z.string() }),
});
export type Alert = z.output<typeof alert>;

/** A link in an alert is clicked by administrators: only addresses a browser opens as a page are let through. */
const httpsLink = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s\\]+$/i, 'must be an http or https address');

export const alertDraft = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'must be lower-case letters, digits and dashes')
    .optional(),
  severity: z.enum(['low', 'medium', 'high']).default('low'),
  message: z.string().trim().min(1).max(1000),
  link: httpsLink.optional(),
  /** How long it is shown. */
  ttlSeconds: z
    .number()
    .int()
    .positive()
    .max(366 * 86_400)
    .default(86_400),
});

export const clusterRoutes = defineRoutes({
  sites: {
    method: 'GET',
    path: '/v1/webapi/sites',
    summary: 'The clusters the caller can reach, their own first.',
    auth: 'signed-in',
    reply: z.array(cluster),
  },
  context: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/context',
    summary: 'Who the caller is and what they may do.',
    auth: 'signed-in',
    onlyOwnCluster: 'the user context',
    reply: userContext,
  },
  alerts: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/alerts',
    summary:
      'Alerts that are shown after sign-in: those an administrator posted, and those of the gateway about what the caller may list.',
    auth: 'signed-in',
    reply: z.object({ alerts: listOf(alert) }),
  },
  postAlert: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/alerts',
    summary: 'Posts an alert to everyone who signs in.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: alertDraft,
    reply: alert,
  },
  removeAlert: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/alerts/:name',
    summary: 'Takes an alert back.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    reply: ack,
  },
});
