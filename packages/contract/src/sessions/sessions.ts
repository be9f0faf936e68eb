/** Sessions that are open now, as clients of the wire reference read them, and their end by an administrator. */
import { z } from 'zod';
import { SESSION_KINDS } from '../access/roles/vocabulary.ts';
import { type KindIdField, type KindNameField, kinds, rows } from '../kinds/kinds.ts';
import { ack } from '../wire/ack.ts';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';
import { FLOWS, MAX_REASON, PARTICIPANT_MODES, sessionNeed } from './terminal-frames.ts';

/** Each kind has a field of its own for what its sessions are with; those of the others are empty. */
const targetFields = Object.fromEntries(
  rows.flatMap(({ nameField, idField }) =>
    [nameField, ...(idField ? [idField] : [])].map((each) => [each, z.string()]),
  ),
) as Readonly<Record<KindNameField | KindIdField, z.ZodString>>;

export const activeSession = z.object({
  kind: z.enum(SESSION_KINDS),
  id: z.string(),
  namespace: z.string(),
  parties: listOf(
    z.object({
      id: z.string(),
      remote_addr: z.string(),
      user: z.string(),
      server_id: z.string(),
      last_active: z.string(),
      mode: z.enum(PARTICIPANT_MODES),
    }),
  ),
  terminal_params: z.object({ w: z.int(), h: z.int() }),
  login: z.string(),
  created: z.string(),
  last_active: z.string(),
  ...targetFields,
  server_hostport: z.int(),
  server_addr: z.string(),
  cluster_name: z.string(),
  owner: z.string(),
  participantModes: listOf(z.enum(PARTICIPANT_MODES)),
  /** From here on ours. */
  state: z.enum(FLOWS),
  /** What it waits for, while it is not live. */
  needs: z.array(sessionNeed),
  resource_kind: z.enum(kinds),
  resource_name: z.string(),
  /** Where inside of it, if not with the whole: namespace, pod and container of a Kubernetes cluster. */
  resource_inside: z.string().optional(),
  recorded: z.boolean(),
  with_mfa: z.boolean(),
  /** Whether the one who asks may end it. */
  mayEnd: z.boolean(),
});
export type ActiveSession = z.output<typeof activeSession>;

export const sessionRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/sessions',
    summary: 'The sessions that are open now and that the caller may see: their own, and others by role.',
    auth: 'signed-in',
    reply: z.object({ sessions: listOf(activeSession) }),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/sessions/:sid',
    summary: 'One open session.',
    auth: 'signed-in',
    reply: activeSession,
  },
  end: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/sessions/:sid',
    summary:
      'Ends a session: one’s own, or any for those who may remove sessions. Its people are told by whom and why.',
    auth: 'signed-in',
    query: z.object({ reason: z.string().trim().max(MAX_REASON).optional() }),
    reply: ack,
  },
});
