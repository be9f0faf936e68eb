/** Whether there is anything to reach, whether a second factor is asked before, and a connection tried step by step. */
import { z } from 'zod';
import type { OptionalFields } from '../kinds/kind-schemas.ts';
import { type KindFactorBody, type KindTestedNames, type KindTestStep, rows } from '../kinds/kinds.ts';
import { defineRoutes } from '../wire/route.ts';

export const TRACE_TYPES = [
  'TRACE_TYPE_UNSPECIFIED',
  'UNKNOWN_ERROR',
  'RBAC_NODE',
  'CONNECTIVITY',
  'RBAC_PRINCIPAL',
  'NODE_PRINCIPAL',
  'RBAC_KUBE',
  'KUBE_PRINCIPAL',
  'RBAC_DATABASE',
  'RBAC_DATABASE_LOGIN',
  'DATABASE_DB_USER',
  'DATABASE_DB_NAME',
] as const;

/** The steps of ours within the trace types of the wire, of whatever kind. */
export const DIAGNOSTIC_STEPS = [
  ...new Set(rows.flatMap(({ testSteps = [], draftSteps = [] }) => [...testSteps, ...draftSteps])),
] as [KindTestStep, ...KindTestStep[]];

export const trace = z.object({
  traceType: z.enum(TRACE_TYPES).optional(),
  status: z.enum(['SUCCESS', 'FAILED', 'STATUS_UNSPECIFIED']).optional(),
  details: z.string().optional(),
  error: z.string().optional(),
  gatehouse: z
    .object({
      step: z.enum(DIAGNOSTIC_STEPS),
      durationMs: z.number(),
      /** What to do next, when it failed or somebody should look at it. */
      next: z.string().optional(),
      /** What it showed and nobody has accepted yet: a form takes it once somebody has compared it. */
      shown: z.string().optional(),
    })
    .optional(),
});
export type Trace = z.output<typeof trace>;

export const connectionDiagnostic = z.object({
  id: z.string(),
  success: z.boolean(),
  message: z.string(),
  traces: z.array(trace).optional(),
});
export type ConnectionDiagnostic = z.output<typeof connectionDiagnostic>;

/** Of one thing: the newest. */
export const MAX_EARLIER_TESTS = 10;

const earlierTest = z.object({
  id: z.string(),
  at: z.string(),
  success: z.boolean(),
  message: z.string(),
  /** At which it stopped; absent where none failed. */
  step: z.enum(DIAGNOSTIC_STEPS).optional(),
});
export type EarlierTest = z.output<typeof earlierTest>;

const name = z.string().min(1).max(256);
const mayBeEmpty = z.string().max(256).optional();

/** How a body names one of each kind: the kind, the part of the body, and the field there that holds its name. */
export const FACTOR_PARTS = rows.map(({ kind, factorBody }) => ({ kind, part: kind, name: 'name', ...factorBody }));
const partNames = FACTOR_PARTS.map(({ part }) => part);

const factorParts = Object.fromEntries(
  rows.map(({ factorBody }, at) => {
    const { part, name: nameField } = FACTOR_PARTS[at]!;
    const must = [nameField, ...(factorBody?.must ?? [])].map((field) => [field, name]);
    const may = (factorBody?.may ?? []).map((field) => [field, mayBeEmpty]);
    return [part, z.object(Object.fromEntries([...must, ...may])).optional()];
  }),
) as unknown as OptionalFields<KindFactorBody>;

const testedNames = Object.fromEntries(
  rows.flatMap(({ principals }) => principals.flatMap(({ testedAs }) => (testedAs ? [[testedAs, mayBeEmpty]] : []))),
) as unknown as OptionalFields<KindTestedNames>;

export const diagnosticRoutes = defineRoutes({
  check: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/resources/check',
    summary: 'Whether the caller sees any resource at all.',
    auth: 'signed-in',
    reply: z.object({ hasResource: z.boolean() }),
  },
  mfaRequired: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/mfa/required',
    summary: 'Whether connecting there asks for a second factor.',
    auth: 'signed-in',
    body: z
      .object(factorParts)
      .refine(
        (body) => Object.values(body).filter((part) => part !== undefined).length === 1,
        `must name exactly one of ${partNames.slice(0, -1).join(', ')} and ${partNames.at(-1)}`,
      ),
    reply: z.object({ required: z.boolean() }),
  },
  connect: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/diagnostics/connections',
    summary: 'Tries a connection and tells each step. A connection that fails is an answer, not an error.',
    auth: 'signed-in',
    needs: ['connectionDiagnostic', 'create'],
    body: z.object({
      resource_kind: z.string().max(64),
      resource_name: name,
      ...testedNames,
      kubernetes_namespace: z.string().max(256).optional(),
      kubernetes_impersonation: z
        .object({
          kubernetes_user: z.string().max(256).optional(),
          kubernetes_groups: z.array(z.string().max(256)).max(64).optional(),
        })
        .nullish(),
      /** Nanoseconds in the wire reference; never more than 30 s here. */
      dial_timeout: z.number().min(0).optional(),
      insecure_skip_verify: z.boolean().optional(),
      mfa_response: z
        .object({ totp_code: z.string().max(16).optional(), webauthn_response: z.unknown().optional() })
        .nullish(),
    }),
    reply: connectionDiagnostic,
  },
  draft: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/diagnostics/drafts',
    summary:
      'Tries the way to something that is about to be added, step by step, and saves none of it. For who may add such a thing; 60 an hour. One that fails is an answer, not an error.',
    auth: 'signed-in',
    needs: ['connectionDiagnostic', 'create'],
    body: z.object({
      /** As the call that tests a connection names it. */
      kind: z.string().max(64),
      /** As it would be added, as far as it is known; with what to sign in by where that is to be tried. */
      spec: z.record(z.string().max(64), z.unknown()),
      /** Id or name of the agent that is to dial; without it the gateway does. */
      through: z.string().max(253).optional(),
    }),
    reply: connectionDiagnostic,
  },
  earlier: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/diagnostics/connections',
    summary: 'What the caller has tried of one thing within the last day, the newest first.',
    auth: 'signed-in',
    needs: ['connectionDiagnostic', 'read'],
    query: z.object({ resource_kind: z.string().max(64), resource_name: name }),
    reply: z.object({ items: z.array(earlierTest).max(MAX_EARLIER_TESTS) }),
  },
  read: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/diagnostics/connections/:id',
    summary: 'What a connection that was tried said.',
    auth: 'signed-in',
    needs: ['connectionDiagnostic', 'read'],
    reply: connectionDiagnostic,
  },
});
