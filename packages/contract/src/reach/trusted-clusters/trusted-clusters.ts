/** Clusters that trust each other: roots whose people a leaf lets in, leaves a root leads to, and how one joins the other. */
import { z } from 'zod';
import { resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listOf } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { clusterJoinToken, MAX_TRUST_CHARACTERS, roleMap } from './trusted-cluster-document.ts';

export const DEFAULT_JOIN_SECONDS = 3600;
export const MAX_JOIN_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 366 * 86_400;
const DEFAULT_OVERLAP_SECONDS = 7 * 86_400;

/** `ended`: the other side removed the trust, and nothing comes of trying. */
export const trustStatus = z.enum(['online', 'offline', 'disabled', 'ended']);
export type TrustStatus = z.output<typeof trustStatus>;

export const trustedClusterItem = z.object({
  id: z.string(),
  kind: z.literal('trusted_cluster'),
  name: z.string(),
  /** The document, without its token. */
  content: z.string(),
  /** Ours, beside the reference's names. */
  revision: z.string().optional(),
  enabled: z.boolean().optional(),
  /** Where the root is dialled. */
  address: z.string().optional(),
  /** What the root calls itself. */
  rootName: z.string().optional(),
  rootId: z.string().optional(),
  /** Fingerprint of the key that is trusted. */
  rootKey: z.string().optional(),
  roleMap: roleMap.optional(),
  status: trustStatus.optional(),
  /** Since when it is what `status` says; absent where that was before this gateway started. */
  since: z.string().optional(),
  /** Why it is not online, in words. */
  trouble: z.string().optional(),
  created: z.string().optional(),
  /** How many of the root's people were here. */
  visitors: z.number().int().optional(),
});
export type TrustedClusterItem = z.output<typeof trustedClusterItem>;

export const remoteCluster = z.object({
  name: z.string(),
  /** Of the cluster, from its first start on: what it is known by, whatever it is called. */
  id: z.string(),
  /** Fingerprint of its key. */
  key: z.string(),
  labels: z.record(z.string(), z.string()),
  version: z.string(),
  status: z.enum(['online', 'offline']),
  /** Since when it is connected; absent while it is not. */
  connectedSince: z.string().optional(),
  /** Absent where it never came. */
  lastSeen: z.string().optional(),
  /** Why it is not online, in words. */
  trouble: z.string().optional(),
  created: z.string(),
  createdBy: z.string(),
});
export type RemoteCluster = z.output<typeof remoteCluster>;

/** What `gatehouse clusters token` prints as well. */
export const joinOffer = z.object({
  token: z.string(),
  expires: z.string(),
  /** Fingerprint by which the leaf knows that nobody is in between. */
  rootKey: z.string(),
  /** Of its certificate, where no authority that other machines know vouches for it. */
  caPin: z.string().optional(),
  /** What to type at the leaf. */
  command: z.string(),
  /** Set where other machines cannot reach the gateway as it stands. */
  warning: z.string().optional(),
});
export type JoinOffer = z.output<typeof joinOffer>;

export const federationKey = z.object({
  clusterId: z.string(),
  name: z.string(),
  /** Fingerprint of the one that signs. */
  fingerprint: z.string(),
  /** Entry of this cluster, as a join exchanges them. */
  entry: z.string(),
  /** The one that takes its place, while both count. */
  next: z.object({ fingerprint: z.string(), from: z.string() }).optional(),
});
export type FederationKey = z.output<typeof federationKey>;

export const mapPreview = z.object({
  /** For each role that was asked for, what it gives here; empty: no entry. */
  roles: z.array(z.object({ remote: z.string(), local: z.array(z.string()) })),
  /** Those who were here lately and whose roles the map changes. */
  visitors: z.array(
    z.object({ name: z.string(), gains: z.array(z.string()), loses: z.array(z.string()), lastSeen: z.string() }),
  ),
  /** What to think about before it is saved. */
  warnings: z.array(z.string()),
});
export type MapPreview = z.output<typeof mapPreview>;

const content = z.string().min(1).max(MAX_TRUST_CHARACTERS);
const entries = z.array(z.string().min(1).max(8192)).length(1, 'must hold one entry: only Gatehouse clusters join');

export const trustedClusterRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/trustedcluster',
    summary: 'The roots whose people this cluster lets in.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'list'],
    reply: listOf(trustedClusterItem),
  },
  create: {
    method: 'POST',
    path: '/v1/webapi/trustedcluster',
    summary: 'Joins a root with the token it gave, from a YAML or JSON document.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'create'],
    body: z.object({ content }),
    reply: trustedClusterItem,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/trustedcluster/:name',
    summary: 'Changes what a trust lets in: enabled, role_map and traits, nothing else.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.object({ content, revision: z.string().max(64).optional() }),
    reply: trustedClusterItem,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/trustedcluster/:name',
    summary: "Ends a trust and the sessions of the root's people here.",
    auth: 'signed-in',
    needs: ['trustedClusters', 'remove'],
    reply: ack,
  },
  previewMap: {
    method: 'POST',
    path: '/v1/webapi/trustedcluster/map',
    summary: 'What a role map gives, and who of the recent visitors gains or loses by it; changes nothing.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'list'],
    body: z.strictObject({
      role_map: roleMap,
      /** Roles of the root to look up. */
      remote: z.array(z.string().min(1).max(256)).max(64).default([]),
      /** The trust it is for; absent while it is not made yet. */
      trust: z.string().max(256).optional(),
    }),
    reply: mapPreview,
  },
  createToken: {
    method: 'POST',
    path: '/v1/webapi/trustedcluster/token',
    summary: 'Makes a token with which one cluster can join this one, once.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'create'],
    body: z.strictObject({
      ttlSeconds: z.number().int().min(60).max(MAX_JOIN_SECONDS).default(DEFAULT_JOIN_SECONDS),
    }),
    reply: joinOffer,
  },
  key: {
    method: 'GET',
    path: '/v1/webapi/trustedclusters/key',
    summary: 'The key by which other clusters know this one.',
    auth: 'public',
    limited: 'often',
    reply: federationKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/v1/webapi/trustedclusters/key/rotate',
    summary:
      'Makes a new federation key; both count for the overlap. A cluster that hears nothing meanwhile joins again.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.strictObject({
      overlapSeconds: z.number().int().min(0).max(MAX_OVERLAP_SECONDS).default(DEFAULT_OVERLAP_SECONDS),
    }),
    reply: federationKey,
  },
  validate: {
    method: 'POST',
    path: '/v1/webapi/trustedclusters/validate',
    summary: 'Lets the cluster that shows a token join as a leaf, and tells it who the root is.',
    auth: 'public',
    limited: true,
    maxBody: 16 * 1024,
    body: z.object({ token: clusterJoinToken, certificate_authorities: entries }),
    reply: z.object({ certificate_authorities: z.array(z.string()) }),
  },
});

export const remoteClusterRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/remoteclusters',
    summary: 'The leaves that joined this cluster.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'list'],
    reply: listOf(remoteCluster),
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/remoteclusters/:name',
    summary: 'Sets the labels of a leaf, by which roles say who sees it.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.strictObject({ labels: resourceLabels }),
    reply: remoteCluster,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/remoteclusters/:name',
    summary: 'Removes a leaf: it is told, and does not come back without a new token.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'remove'],
    reply: ack,
  },
});
