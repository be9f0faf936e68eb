/** What stands under `allow` and `deny` of a role document. */
import { z } from 'zod';
import { kubeObjectRule } from './kube-objects.ts';
import { count, labelSelector, text, texts } from './role-values.ts';
import {
  JOIN_MODES,
  LABEL_FIELDS,
  PRINCIPAL_FIELDS,
  RULE_RESOURCES,
  RULE_VERBS,
  SESSION_KINDS,
  VERB_SYNONYMS,
} from './vocabulary.ts';

const MAX_EXPRESSION = 4096;
const expression = z.string().min(1).max(MAX_EXPRESSION);

const ruleResources = z.array(z.enum(RULE_RESOURCES)).min(1).max(RULE_RESOURCES.length);
const ruleVerbs = z
  .array(z.preprocess((verb) => (typeof verb === 'string' ? (VERB_SYNONYMS[verb] ?? verb) : verb), z.enum(RULE_VERBS)))
  .min(1)
  .max(20);

export const roleRule = z.strictObject({
  resources: ruleResources,
  verbs: ruleVerbs,
  where: expression.optional(),
  actions: z.array(z.string().max(MAX_EXPRESSION)).max(100).optional(),
});
export type RoleRule = z.output<typeof roleRule>;

const sessionKinds = z.array(z.enum([...SESSION_KINDS, '*'])).max(10);
const joinModes = z.array(z.enum([...JOIN_MODES, '*'])).max(10);

const joinPolicy = z.strictObject({ name: text, roles: texts, kinds: sessionKinds, modes: joinModes });
export type JoinPolicy = z.output<typeof joinPolicy>;

const requirePolicy = z.strictObject({
  name: text,
  filter: expression,
  kinds: sessionKinds,
  count: count.max(100).default(1),
  modes: joinModes,
  on_leave: z.enum(['', 'terminate', 'pause']).default('terminate'),
});
export type RequirePolicy = z.output<typeof requirePolicy>;

const claims = z.array(z.strictObject({ claim: text, value: text, roles: texts.optional() })).max(100);
const annotations = z.record(text.max(256), texts);

/** The same schema for each of these fields. */
function each<Field extends string, Schema>(fields: readonly Field[], schema: Schema): Record<Field, Schema> {
  return Object.fromEntries(fields.map((field) => [field, schema])) as Record<Field, Schema>;
}

export const roleConditions = z.strictObject({
  ...each(PRINCIPAL_FIELDS, texts.optional()),
  ...each(LABEL_FIELDS, labelSelector.optional()),
  kubernetes_resources: z.array(kubeObjectRule).max(100).optional(),
  rules: z.array(roleRule).max(200).optional(),
  join_sessions: z.array(joinPolicy).max(100).optional(),
  require_session_join: z.array(requirePolicy).max(100).optional(),
  impersonate: z
    .strictObject({ users: texts.optional(), roles: texts.optional(), where: expression.optional() })
    .optional(),
  request: z
    .strictObject({
      roles: texts.optional(),
      search_as_roles: texts.optional(),
      suggested_reviewers: texts.optional(),
      thresholds: z
        .array(
          z.strictObject({
            name: text.optional(),
            filter: expression.optional(),
            approve: count.optional(),
            deny: count.optional(),
          }),
        )
        .max(100)
        .optional(),
      annotations: annotations.optional(),
      claims_to_roles: claims.optional(),
    })
    .optional(),
  review_requests: z
    .strictObject({
      roles: texts.optional(),
      preview_as_roles: texts.optional(),
      where: expression.optional(),
      claims_to_roles: claims.optional(),
    })
    .optional(),
  host_groups: texts.optional(),
  host_sudoers: texts.optional(),
});
export type RoleConditions = z.output<typeof roleConditions>;
