/** Trying a connector before anybody signs in with it: every claim, and which entry gives which role. Changes nothing. */
import { z } from 'zod';
import { defineRoutes } from '../../wire/route.ts';
import { MAX_CONNECTOR_CHARACTERS } from './connector-document.ts';
import { CONNECTOR_KINDS } from './connector-kinds.ts';

export const CONNECTOR_STEPS = ['settings', 'discovery', 'redirect', 'token', 'identity', 'mapping', 'user'] as const;
export type ConnectorStep = (typeof CONNECTOR_STEPS)[number];

const step = z.object({
  step: z.enum(CONNECTOR_STEPS),
  status: z.enum(['passed', 'failed', 'skipped']),
  /** What was found, or why it failed and what to do. */
  message: z.string(),
});
export type ConnectorTestStep = z.output<typeof step>;

/** One entry of the mapping, told by its place in the document. */
const mappedRole = z.object({ role: z.string(), entry: z.string(), exists: z.boolean() });

const claims = z.record(z.string(), z.array(z.string()));

export const connectorTest = z.object({
  id: z.string(),
  kind: z.enum(CONNECTOR_KINDS),
  connector: z.string(),
  state: z.enum(['waiting', 'passed', 'failed']),
  steps: z.array(step),
  /** All of them, without tokens; values beyond the first 500 of a claim are counted alone. */
  claims,
  /** How many values each claim that was cut really had. */
  counts: z.record(z.string(), z.number().int()),
  roles: z.array(mappedRole),
  /** Entries nothing matched, told like `claims_to_roles[2]`. */
  unmatched: z.array(z.string()),
  traits: claims,
  /** Claims that were not kept, and why. */
  dropped: z.array(z.object({ claim: z.string(), why: z.string() })),
  /** Traits their roles take names from and they would not have: `to` is what a connector calls it. Such people see things and get into none. */
  lacking: z.array(z.object({ trait: z.string(), to: z.string(), why: z.string() })).default([]),
  /** Who it would be here; empty until the provider has said. */
  user: z.string(),
  /** Whether that would be a new user, the same as before, or cannot be. */
  outcome: z.enum(['new', 'known', 'refused', '']),
  conflict: z.string().optional(),
  expires: z.string(),
});
export type ConnectorTest = z.output<typeof connectorTest>;

/** What a draft would change for somebody who has signed in before. */
const effect = z.object({
  user: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
  /** Told where they could not sign in any more. */
  refused: z.string().optional(),
});
export type ConnectorEffect = z.output<typeof effect>;

const draft = z.object({
  kind: z.enum(CONNECTOR_KINDS),
  content: z.string().min(1).max(MAX_CONNECTOR_CHARACTERS),
});

export const connectorTestRoutes = defineRoutes({
  begin: {
    method: 'POST',
    path: '/v1/webapi/sso/test',
    summary: 'Begins a test of a connector, saved or not. The address is opened in a window; nothing is changed by it.',
    auth: 'signed-in',
    needs: ['authConnectors', 'edit'],
    body: draft.extend({
      /** Lets the provider ask who it is, instead of taking whoever is signed in there. */
      asksWho: z.boolean().optional(),
    }),
    reply: z.object({ id: z.string(), url: z.string() }),
  },
  read: {
    method: 'GET',
    path: '/v1/webapi/sso/test/:id',
    summary: 'How far a test has come. Kept for ten minutes, for whoever began it.',
    auth: 'signed-in',
    needs: ['authConnectors', 'edit'],
    reply: connectorTest,
  },
  check: {
    method: 'POST',
    path: '/v1/webapi/sso/check',
    summary:
      'What would be refused of a document, and what a provider must be told for it. Nothing is fetched or kept.',
    auth: 'signed-in',
    needs: ['authConnectors', 'edit'],
    body: draft,
    reply: z.object({
      name: z.string(),
      notes: z.array(z.string()),
      /** What to enter over there: callback, metadata, entity id. */
      enter: z.array(
        z.object({ what: z.enum(['callback', 'metadata', 'entity', 'backchannel', 'signout']), value: z.string() }),
      ),
    }),
  },
  effect: {
    method: 'POST',
    path: '/v1/webapi/sso/effect',
    summary:
      'What a draft would change for those who have signed in through the connector: their last claims through it.',
    auth: 'signed-in',
    needs: ['authConnectors', 'edit'],
    body: draft,
    reply: z.object({ users: z.array(effect), unchanged: z.number().int() }),
  },
});
