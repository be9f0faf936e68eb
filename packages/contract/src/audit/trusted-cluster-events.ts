/** Events of other clusters that are trusted or trust this one. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection, resource } from '../events/event-fields.ts';
import { line } from '../events/line.ts';

const about = { kind: 'trusted_cluster', name: 'name' } as const;
const fields = { ...byUser, ...resource } as const;

export const trustedClusterTokenCreated = defineEvent({
  code: 'T7002I',
  event: 'trusted_cluster_token.create',
  label: 'Trusted Cluster Token Created',
  fields,
  tell: ({ user }) => line`${user} made a token with which another cluster can join`,
});

export const trustedClusterCreated = defineEvent({
  code: 'T7000I',
  event: 'trusted_cluster.create',
  label: 'Trusted Cluster Created',
  about,
  fields,
  tell: ({ user, name }) => line`${user} made the trust with the cluster ${name}`,
});

export const trustedClusterUpdated = defineEvent({
  code: 'GH143I',
  event: 'trusted_cluster.update',
  label: 'Trusted Cluster Updated',
  about,
  fields,
  tell: ({ user, name }) => line`${user} changed the trust with the cluster ${name}`,
});

export const trustedClusterDeleted = defineEvent({
  code: 'T7001I',
  event: 'trusted_cluster.delete',
  label: 'Trusted Cluster Deleted',
  about,
  fields,
  tell: ({ user, name }) => line`${user} ended the trust with the cluster ${name}`,
});

/** Of a leaf that joined this cluster. */
export const leafLink = defineEvent({
  code: 'GH220I',
  event: 'leaf_cluster.link',
  label: 'Leaf Cluster Connected or Gone',
  about,
  fields: { name: z.string().optional(), connected: z.boolean(), reason: z.string().optional() },
  tell: ({ name, connected, reason }) =>
    connected ? line`the cluster ${name} connected` : line`the cluster ${name} is gone: ${reason}`,
});

/** At the root: what was done there is in the log of the leaf. */
export const leafSession = defineEvent({
  code: 'GH221I',
  event: 'leaf_cluster.session',
  label: 'Session at a Leaf Cluster',
  about,
  fields: {
    ...byUser,
    name: z.string().optional(),
    session_kind: z.string(),
    resource_name: z.string().optional(),
    sid: z.string(),
  },
  tell: ({ user, name, session_kind, resource_name }) =>
    line`${user} opened a session (${session_kind}) on ${resource_name} in the cluster ${name}`,
});

export const clusterRefused = defineEvent({
  code: 'GH222W',
  event: 'trusted_cluster.refused',
  label: 'Word of a Cluster Refused',
  about,
  fields: {
    ...connection,
    name: z.string().optional(),
    what: z.enum(['join', 'passport', 'news']),
    reason: z.string(),
  },
  tell({ name, what, reason }) {
    if (what === 'join') return line`a cluster that calls itself ${name} was not let join: ${reason}`;
    if (what === 'news') return line`what the cluster ${name} tells is not all taken: ${reason}`;
    return line`what the cluster ${name} said of somebody was refused: ${reason}`;
  },
});

export const federationKeyRotated = defineEvent({
  code: 'GH223I',
  event: 'federation_key.rotate',
  label: 'Federation Key Rotated',
  about,
  fields: { ...byUser, name: z.string().optional(), fingerprint: z.string(), overlap_seconds: z.number().optional() },
  tell: ({ user, name, fingerprint }) =>
    user === undefined
      ? line`the cluster ${name} is known by the key ${fingerprint} from now on`
      : line`${user} made the key ${fingerprint}, by which other clusters will know this one`,
});

/** From the other side: by the root of this leaf, or by a leaf of this root. */
export const trustEnded = defineEvent({
  code: 'GH225W',
  event: 'trusted_cluster.ended',
  label: 'Trust Ended by the Other Cluster',
  about,
  fields: { name: z.string().optional(), reason: z.string() },
  tell: ({ name, reason }) => line`the cluster ${name} has ended the trust: ${reason}`,
});

export const rootLockHeld = defineEvent({
  code: 'GH224I',
  event: 'trusted_cluster.lock',
  label: 'Lock of a Root Held',
  about,
  fields: { name: z.string().optional(), target: z.record(z.string(), z.string()), message: z.string().optional() },
  tell: ({ name, target }) => line`a lock of the cluster ${name} is held here on ${Object.values(target ?? {})[0]}`,
});
