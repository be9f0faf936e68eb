/**
 * One browser tab on one Kubernetes cluster, over a websocket of its own. All frames are JSON texts; those of the page have
 * at most BROWSE_FRAME_BYTES.
 *
 *   console  hello(token)                   as on every socket of ours
 *   console  open(user)
 *   gateway  factor(challenge)              only where a role asks for a second factor; answered by factor(answer)
 *   gateway  ready(…)                       from here on everything below
 *   gateway  refused(code, message)         nothing was opened; the socket closes
 *   gateway  ended(cause, message)          it is over; the socket closes
 *
 * Whatever is asked has an `id` that the page counts up, and is answered under it. Each request to the cluster is decided, told to
 * the audit log and filtered as if kubectl had sent it. What goes on until somebody cancels it:
 *
 *   list    a collection as the cluster prints it, then its changes: columns, rows …, listed, rows …
 *           `anew`: it is listed once more, and what is not in it by the next `listed` is gone
 *   object  one object, and again whenever it changes: object …; gone
 *   logs    of one container: piece …, done
 *   search  through all that the cluster keeps of a container's log: hits …, searched
 *
 * and what has one answer:
 *
 *   namespaces, kinds    namespaces; kinds
 *   patch, create        written. With `dryRun` the cluster checks it and stores nothing
 *   remove               done
 *
 * or `failed`, which ends any of them. Rows, pieces and hits go ahead of the page by BROWSE_AHEAD_BYTES for each request at most: each
 * has a number, and `ack` names the last one that was taken.
 */
import { z } from 'zod';
import { authenticateChallenge, factorAnswer } from '../../identity/webauthn.ts';
import { endedFrame, refusedFrame } from '../../wire/last-frames.ts';

export const KUBE_BROWSE_SOCKET = '/v1/webapi/sites/:clusterId/kubernetes/:name/browse';

/** A longer frame closes the socket. Clusters take objects of 1.5 MiB. */
export const BROWSE_FRAME_BYTES = 4 * 1024 * 1024;
export const BROWSE_AHEAD_BYTES = 1024 * 1024;
export const MAX_BROWSE_ROWS = 50_000;
/** Lists, objects and logs at once. */
export const MAX_BROWSE_REQUESTS = 64;
/** Rows that changed are told together. */
export const ROWS_EVERY_MS = 250;
export const MAX_TAIL_LINES = 100_000;
/** Around a hit. */
export const MAX_WINDOW_LINES = 10_000;
export const MAX_SEARCH_WORDS = 256;
/** Of one search, told to the page; further ones are counted. */
export const MAX_LOG_HITS = 10_000;
/** Characters of a line that has what is looked for. */
export const MAX_HIT_TEXT = 2_048;
const MAX_BODY = 3 * 1024 * 1024;

const id = z.int().min(1);
const seq = z.int().min(0);
/** What may stand in a path of the API, beside the separators. What a name is, the cluster says. */
const word = z
  .string()
  .max(253)
  .regex(/^[^/\\%?#\s]*$/);
const someWord = word.min(1);
const selector = z.string().max(4_096);
const lineNumber = z.int().min(0);

/** What stands in its place in a path leads elsewhere: `watch` with the name `secrets` would be no object, but all secrets. */
const kind = someWord.refine((value) => value !== 'watch' && value !== 'proxy');

/** A kind of object, as paths name it. `apiGroup` is empty for the first ones: pods, services. */
export const kubeCollection = z.object({ apiGroup: word, apiVersion: someWord, resource: kind });
export type KubeCollection = z.output<typeof kubeCollection>;

/** `namespace` is empty for what belongs to none; in a list, for all of them. */
const inNamespace = { ...kubeCollection.shape, namespace: word };
export const kubeRef = z.object({ ...inNamespace, name: someWord });
export type KubeRef = z.output<typeof kubeRef>;

const ofContainer = {
  id,
  namespace: someWord,
  pod: someWord,
  container: someWord,
  /** Of the run of the container before this one. */
  previous: z.boolean().default(false),
};

export const browseOpening = z.object({
  type: z.literal('open'),
  /** Which of the users that roles give; without it, the one kubectl would be. */
  user: z.string().min(1).max(256).optional(),
});
export type BrowseOpening = z.output<typeof browseOpening>;

export const browseRequest = z.discriminatedUnion('type', [
  factorAnswer.extend({ type: z.literal('factor') }),
  z.object({ type: z.literal('ack'), id, seq }),
  z.object({ type: z.literal('cancel'), id }),
  z.object({ type: z.literal('namespaces'), id }),
  /** Those of the collections that the cluster has, of which it prefers this version. */
  z.object({ type: z.literal('kinds'), id }),
  z.object({
    type: z.literal('list'),
    id,
    ...inNamespace,
    labelSelector: selector.optional(),
    fieldSelector: selector.optional(),
  }),
  /** `reveal`: with the values of a secret, which is told to the audit log. */
  z.object({ type: z.literal('object'), id, ...kubeRef.shape, reveal: z.boolean().default(false) }),
  z.object({
    ...ofContainer,
    type: z.literal('logs'),
    follow: z.boolean(),
    sinceSeconds: z.int().min(1).optional(),
    tailLines: z.int().min(0).max(MAX_TAIL_LINES).optional(),
    /** Only these of all its lines, and none that follow. */
    window: z.object({ from: lineNumber, count: z.int().min(1).max(MAX_WINDOW_LINES) }).optional(),
  }),
  /** Large and small letters are the same. */
  z.object({ ...ofContainer, type: z.literal('search'), words: z.string().min(1).max(MAX_SEARCH_WORDS) }),
  /** A merge patch. With the `metadata.resourceVersion` of what was looked at, one that came in between is a conflict. */
  z.object({
    type: z.literal('patch'),
    id,
    ...kubeRef.shape,
    /** `ephemeralcontainers`: what is added to a pod to look into it. */
    subresource: z.enum(['', 'scale', 'ephemeralcontainers']).default(''),
    body: z.string().min(2).max(MAX_BODY),
    dryRun: z.boolean(),
  }),
  z.object({
    type: z.literal('create'),
    id,
    ...inNamespace,
    body: z.string().min(2).max(MAX_BODY),
    dryRun: z.boolean(),
  }),
  /** `uid`: only if it is still this one. */
  z.object({ type: z.literal('remove'), id, ...kubeRef.shape, uid: z.string().max(128) }),
]);
export type BrowseRequest = z.output<typeof browseRequest>;

/** As the cluster prints it. What has another priority than 0 is shown where there is room. */
export const kubeColumn = z.object({
  name: z.string(),
  type: z.string(),
  format: z.string(),
  priority: z.int(),
  description: z.string(),
});
export type KubeColumn = z.output<typeof kubeColumn>;

export const kubeCell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export const kubeRow = z.object({
  /** Tells one from another of the same name. */
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** When it was created. */
  created: z.string(),
  labels: z.record(z.string(), z.string()),
  /** `Deployment/api`: what it is part of, where it says so. */
  owner: z.string(),
  /** It is being taken away. */
  isEnding: z.boolean(),
  cells: z.array(kubeCell),
});
export type KubeRow = z.output<typeof kubeRow>;

export const kubeKindRow = z.object({
  ...kubeCollection.shape,
  kind: z.string(),
  isNamespaced: z.boolean(),
  verbs: z.array(z.string()),
});
export type KubeKindRow = z.output<typeof kubeKindRow>;

/** `text`: as the cluster wrote it, stamp and line; of a long one what is around the first place that fits. */
export const logHit = z.object({ line: lineNumber, text: z.string() });
export type LogHit = z.output<typeof logHit>;
/** What was looked through so far. */
const searchProgress = { found: z.int().min(0), lines: lineNumber, bytes: z.number().min(0) };

/** Who decided that it is not all of them: nobody, the cluster or our rules. */
export const NAMESPACE_SOURCES = ['cluster', 'configured'] as const;

export const browseReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('factor'), challenge: authenticateChallenge }),
  z.object({
    type: z.literal('ready'),
    /** As the cluster writes it, where it is known: `v1.31.2`. */
    version: z.string(),
    /** Who one is there. */
    user: z.string(),
    groups: z.array(z.string()),
  }),
  z.object({
    type: z.literal('namespaces'),
    id,
    names: z.array(z.string()),
    /** `configured`: the cluster, or a role, does not let them be listed; these are known otherwise, and there may be more. */
    from: z.enum(NAMESPACE_SOURCES),
    /** Why they cannot be listed. */
    why: z.string(),
  }),
  /** `isCut`: some groups of the API did not answer, or there are more than are told. */
  z.object({ type: z.literal('kinds'), id, kinds: z.array(kubeKindRow), isCut: z.boolean() }),
  z.object({ type: z.literal('columns'), id, columns: z.array(kubeColumn) }),
  z.object({ type: z.literal('rows'), id, seq, rows: z.array(kubeRow), gone: z.array(z.string()) }),
  z.object({ type: z.literal('anew'), id }),
  /** `isCut`: there are more than MAX_BROWSE_ROWS. `isLive`: changes are told from here on. */
  z.object({ type: z.literal('listed'), id, isCut: z.boolean(), isLive: z.boolean() }),
  /** `json`: the object as the cluster wrote it. `isHidden`: without the values of a secret, whose keys stand there. */
  z.object({ type: z.literal('object'), id, json: z.string(), isHidden: z.boolean(), isLive: z.boolean() }),
  z.object({ type: z.literal('gone'), id }),
  z.object({ type: z.literal('piece'), id, seq, text: z.string() }),
  z.object({ type: z.literal('hits'), id, seq, hits: z.array(logHit), ...searchProgress }),
  /** `isCut`: the log is longer than is looked through. */
  z.object({ type: z.literal('searched'), id, ...searchProgress, isCut: z.boolean() }),
  /** `warnings`: what the cluster says beside it. */
  z.object({ type: z.literal('written'), id, json: z.string(), warnings: z.array(z.string()) }),
  z.object({ type: z.literal('done'), id }),
  z.object({
    type: z.literal('failed'),
    id,
    /** The cluster's, or ours as HTTP would have it; 0 where there was no answer. */
    status: z.int(),
    /** As the cluster names it: `Forbidden`, `Conflict`. */
    reason: z.string(),
    message: z.string(),
    requestId: z.string().optional(),
  }),
  endedFrame,
  refusedFrame,
]);
export type BrowseReply = z.output<typeof browseReply>;
