/** Connectors over the wire: documents as text, one revision each, secrets left out. */
import { z } from 'zod';
import { ack } from '../../wire/ack.ts';
import { listOf } from '../../wire/paging.ts';
import { defineRoutes, type Routes } from '../../wire/route.ts';
import { MAX_CONNECTOR_CHARACTERS } from './connector-document.ts';
import { CONNECTOR_KINDS, type ConnectorKind } from './connector-kinds.ts';

const connectorItem = <K extends ConnectorKind>(kind: z.ZodType<K>) =>
  z.object({
    id: z.string(),
    kind,
    name: z.string(),
    /** The document as its author wrote it, without its secrets. */
    content: z.string(),
    /** Ours, beside the reference's names. */
    revision: z.string().optional(),
    display: z.string().optional(),
    icon: z.string().optional(),
    enabled: z.boolean().optional(),
    /** Whether a secret is kept for it. */
    hasSecret: z.boolean().optional(),
    users: z.number().int().optional(),
    lastSignIn: z.string().optional(),
    /** What keeps it from working, as it was last heard. */
    trouble: z.string().optional(),
    notes: z.array(z.string()).optional(),
  });
export type ConnectorItem = z.output<ReturnType<typeof connectorItem<ConnectorKind>>>;

const content = z.string().min(1).max(MAX_CONNECTOR_CHARACTERS);

const NAMES: Readonly<Record<ConnectorKind, string>> = { github: 'GitHub', oidc: 'OIDC', saml: 'SAML' };

function routesOf<const K extends ConnectorKind>(kind: K) {
  const item = connectorItem(z.literal(kind) as unknown as z.ZodType<K>);
  const path = `/v1/webapi/${kind}` as const;
  return {
    list: {
      method: 'GET',
      path,
      summary: `The ${NAMES[kind]} connectors, without their secrets.`,
      auth: 'signed-in',
      needs: ['authConnectors', 'list'],
      reply: listOf(item),
    },
    create: {
      method: 'POST',
      path,
      summary: `Makes a ${NAMES[kind]} connector from a YAML or JSON document. Wants a second factor of the last minutes.`,
      auth: 'signed-in',
      needs: ['authConnectors', 'create'],
      body: z.object({ content }),
      reply: item,
    },
    update: {
      method: 'PUT',
      path: `${path}/:name`,
      summary: `Replaces a ${NAMES[kind]} connector. A secret that is left out stays, while what it was entered for does.`,
      auth: 'signed-in',
      needs: ['authConnectors', 'edit'],
      body: z.object({ content, revision: z.string().max(64).optional() }),
      reply: item,
    },
    remove: {
      method: 'DELETE',
      path: `${path}/:name`,
      summary: `Deletes a ${NAMES[kind]} connector and ends what was signed in through it.`,
      auth: 'signed-in',
      needs: ['authConnectors', 'remove'],
      reply: ack,
    },
  } as const satisfies Routes;
}

export const githubConnectorRoutes = defineRoutes(routesOf('github'));
export const oidcConnectorRoutes = defineRoutes(routesOf('oidc'));
export const samlConnectorRoutes = defineRoutes(routesOf('saml'));

/** By kind, for whoever treats all three alike. */
export const CONNECTOR_ROUTES = {
  github: githubConnectorRoutes,
  oidc: oidcConnectorRoutes,
  saml: samlConnectorRoutes,
} as const;

export const connectorKind = z.enum(CONNECTOR_KINDS);
