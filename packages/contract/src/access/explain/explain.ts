/** Questions about access: can somebody do something and why, who can reach a resource, what somebody can reach. */
import { z } from 'zod';
import type { OptionalFields } from '../../kinds/kind-schemas.ts';
import { type Kind, type KindAskedNames, kinds, rows } from '../../kinds/kinds.ts';
import { label } from '../../std/labels.ts';
import { listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { LOCK_TARGETS } from '../locks/locks.ts';
import { KUBE_VERBS, kubeObjectRule } from '../roles/kube-objects.ts';
import { LABEL_FIELDS, PRINCIPAL_FIELDS, RULE_RESOURCES, RULE_VERBS } from '../roles/vocabulary.ts';

const text = z.string().min(1).max(1024);
export const kindName = z.enum(kinds as readonly [Kind, ...Kind[]]);
const ruleVerb = z.enum(RULE_VERBS).exclude(['*']);

/** A resource by its id or its name. Without a kind all kinds are looked through. */
const resourceRef = { kind: kindName.optional(), resource: text } as const;

/** Pages of answers that are worked out, not stored. */
export const answerPage = {
  limit: z.number().int().min(1).max(1000).default(100),
  startKey: z.string().max(4096).default(''),
} as const;

export const resourceItem = z.object({ kind: kindName, id: z.string(), name: z.string(), labels: z.array(label) });
export type ResourceItem = z.output<typeof resourceItem>;

/** The names one connects by, of every kind: an account on a server, a user of a database, groups of a cluster. */
const askedNames = Object.fromEntries(
  rows
    .flatMap(({ principals }) => principals)
    .map(({ name, asked, many }) => [asked ?? name, (many ? z.array(text).max(64) : text).optional()]),
) as unknown as OptionalFields<KindAskedNames>;

/** Can they connect as this name; without any name: can they see it. Only the names of the resource's kind count. */
export const resourceQuestion = z.strictObject({
  user: text,
  ...resourceRef,
  ...askedNames,
  /** One of the objects inside a cluster, by its plural and group. */
  object: z
    .strictObject({
      verb: z.enum(KUBE_VERBS).default('get'),
      apiGroup: z.string().max(1024).default(''),
      resource: text,
      namespace: z.string().max(1024).default(''),
      name: text,
    })
    .optional(),
  /** Can they connect under any name at all, and what is missing when they cannot. */
  anyName: z.literal(true).optional(),
});
export type ResourceQuestion = z.output<typeof resourceQuestion>;

/** May they do this to what rules name. */
export const ruleQuestion = z.strictObject({
  user: text,
  rule: z.strictObject({ resource: z.enum(RULE_RESOURCES).exclude(['*']), verb: ruleVerb, name: text.optional() }),
});
export type RuleQuestion = z.output<typeof ruleQuestion>;

/** A clause of a role that decided. */
export const reason = z.object({
  role: z.string(),
  side: z.enum(['allow', 'deny']),
  /** Where in the document: `spec.allow.node_labels`. */
  path: z.string(),
  /** The labels of the resource it matched. */
  labels: z.record(z.string(), z.string()).optional(),
  /** Names that came from the user, with the trait they came from. */
  traits: z.array(z.object({ trait: z.string(), value: z.string() })).optional(),
  sentence: z.string(),
});
export type Reason = z.output<typeof reason>;

/** Why a role that reaches a resource gives no name to connect under. */
export const missingName = z.object({
  /** The user's trait is empty; the role names nothing; a role denies what it names; the agent there offers others. */
  type: z.enum(['empty-trait', 'none', 'denied', 'not-offered']),
  role: z.string().optional(),
  field: z.enum(PRINCIPAL_FIELDS),
  trait: z.string().optional(),
  /** Those that are denied, or that are offered. */
  names: z.array(z.string()),
  sentence: z.string(),
});
export type MissingName = z.output<typeof missingName>;

const told = { sentence: z.string() } as const;
const ofRole = { ...told, role: z.string() } as const;
const labelField = z.enum(LABEL_FIELDS);

/** One step of the smallest change that turns the answer round; all of them together do. */
export const change = z.discriminatedUnion('type', [
  z.object({ ...ofRole, type: z.literal('remove-clause'), path: z.string() }),
  z.object({ ...ofRole, type: z.literal('add-principal'), field: z.enum(PRINCIPAL_FIELDS), value: z.string() }),
  z.object({ ...ofRole, type: z.literal('add-label'), field: labelField, key: z.string(), value: z.string() }),
  z.object({ ...ofRole, type: z.literal('drop-label'), field: labelField, key: z.string() }),
  z.object({ ...ofRole, type: z.literal('add-object'), entry: kubeObjectRule }),
  z.object({ ...ofRole, type: z.literal('add-rule'), resource: z.string(), verb: ruleVerb }),
  z.object({
    ...ofRole,
    type: z.literal('add-join'),
    kind: z.string(),
    mode: z.string(),
    ownerRole: z.string(),
  }),
  z.object({ ...told, type: z.literal('add-trait'), trait: z.string(), value: z.string() }),
  /** Any name will do. */
  z.object({ ...told, type: z.literal('fill-trait'), trait: z.string() }),
  z.object({ ...ofRole, type: z.literal('name-principal'), field: z.enum(PRINCIPAL_FIELDS) }),
  z.object({ ...told, type: z.literal('use-offered'), names: z.array(z.string()) }),
  z.object({ ...told, type: z.literal('give-role') }),
  /** A lock stands in the way, whatever the roles say. */
  z.object({ ...told, type: z.literal('lift-lock'), lock: z.string() }),
]);
export type Change = z.output<typeof change>;

/** Names somebody may use on a resource; `*` stands for any. Apps and clusters that need no name have none. */
export const usableNames = z.array(z.object({ field: z.enum(PRINCIPAL_FIELDS), names: z.array(z.string()) }));
export type UsableNames = z.output<typeof usableNames>;

export const explanation = z.object({
  allowed: z.boolean(),
  /** The whole answer in one line. */
  sentence: z.string(),
  user: z.string(),
  roles: z.array(z.string()),
  /** What was asked: `connect as root`, `see`, `update role`. */
  asked: z.string(),
  resource: resourceItem.optional(),
  reasons: z.array(reason),
  /** Where any name was asked for and there is none. */
  missing: z.array(missingName).optional(),
  /** Where any name was asked for and there is one: which more would come of a name in a trait of the user. */
  fromTraits: z.array(z.object({ field: z.string(), trait: z.string() })).optional(),
  change: z.array(change),
  /** Existing roles, each of which would allow it if the user had it too; told to those who may read roles. */
  rolesThatWould: z.array(z.string()),
  lock: z
    .object({ name: z.string(), target: z.enum(LOCK_TARGETS), targetName: z.string(), message: z.string() })
    .optional(),
  /** Everything the user may use on the resource now. */
  names: usableNames,
});
export type Explanation = z.output<typeof explanation>;

export const explainRoutes = defineRoutes({
  explain: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/explain',
    summary:
      'Whether a user may do something, why, and the smallest change that would turn it round. Takes read on users and roles, or is about the caller.',
    auth: 'signed-in',
    body: z.union([resourceQuestion, ruleQuestion]),
    reply: explanation,
  },
  who: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/who',
    summary: 'Who can reach a resource, and as whom.',
    auth: 'signed-in',
    needs: ['users', 'list'],
    body: z.strictObject({ ...resourceRef, ...answerPage }),
    reply: listReply(
      z.object({
        user: z.string(),
        roles: z.array(z.string()),
        /** Those of the roles whose labels reach it. */
        by: z.array(z.string()),
        names: usableNames,
        locked: z.boolean(),
      }),
    ).extend({ resource: resourceItem }),
  },
  reach: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/reach',
    summary: 'What a user can reach: how many of each kind, and a page of one kind.',
    auth: 'signed-in',
    body: z.strictObject({ user: text, kind: kindName.optional(), ...answerPage }),
    reply: listReply(resourceItem.extend({ names: usableNames })).extend({
      user: z.string(),
      counts: z.record(kindName, z.number().int()),
      /** The kind of the items: the one asked for, or the first that has any. */
      kind: kindName,
    }),
  },
});
