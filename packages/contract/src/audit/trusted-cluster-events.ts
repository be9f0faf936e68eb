/** Events of other clusters that are trusted or trust this one. */
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource } from '../events/event-fields.ts';
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
