/** Events of applications and of sessions with them. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { anyObject, application, byUser, connection, resource, server, session } from '../../events/event-fields.ts';
import { because, line, when } from '../../events/line.ts';

const about = { kind: 'app', name: 'app_name' } as const;
const record = { kind: 'app', name: 'name' } as const;
const appSession = { ...byUser, ...session, ...server, ...connection, ...application } as const;

export const appSessionStarted = defineEvent({
  code: 'T2007I',
  event: 'app.session.start',
  label: 'App Session Started',
  about,
  fields: { ...appSession, public_addr: z.string() },
  tell: ({ user, app_name, aws_role_arn }) =>
    line`${user} opened the application ${app_name}${when(aws_role_arn, line` as ${aws_role_arn}`)}`,
});

export const appSessionEnded = defineEvent({
  code: 'T2011I',
  event: 'app.session.end',
  label: 'App Session Ended',
  about,
  fields: { ...appSession, reason: z.string().optional() },
  // Who used it need not be who ended it: the reason says that.
  tell: ({ user, app_name, reason }) =>
    line`the session of ${user} with the application ${app_name} ended${because(reason)}`,
});

export const appSessionChunk = defineEvent({
  code: 'T2008I',
  event: 'app.session.chunk',
  label: 'App Session Data',
  about,
  fields: { ...appSession, session_chunk_id: z.string() },
  tell: ({ user, app_name, session_chunk_id }) =>
    line`${user} used the application ${app_name}; its requests are in the part ${session_chunk_id}`,
});

/** Ours: the reference keeps requests in the parts of a session only. Written where a role asks for it. */
export const appSessionRequest = defineEvent({
  code: 'GH350I',
  event: 'app.session.request',
  label: 'App Session Request',
  about,
  fields: {
    ...appSession,
    session_chunk_id: z.string(),
    method: z.string(),
    path: z.string(),
    raw_query: z.string(),
    /** 0: it was not answered. */
    status_code: z.number(),
  },
  tell: ({ user, method, path, app_name, status_code }) =>
    line`${user} sent ${method} ${path} to the application ${app_name}${when(status_code, line`, answered with ${String(status_code)}`)}`,
});

export const appDynamodbRequest = defineEvent({
  code: 'T2013I',
  event: 'app.session.dynamodb.request',
  label: 'App Session DynamoDB Request',
  about,
  fields: {
    ...byUser,
    ...application,
    sid: z.string().optional(),
    aws_region: z.string().optional(),
    aws_service: z.string().optional(),
    aws_host: z.string().optional(),
    aws_assumed_role: z.string().optional(),
    session_chunk_id: z.string(),
    status_code: z.number(),
    path: z.string(),
    raw_query: z.string(),
    method: z.string(),
    target: z.string(),
    body: anyObject.optional(),
  },
  tell: ({ user, target, app_name }) => line`${user} sent ${target} to DynamoDB through the application ${app_name}`,
});

export const appCreated = defineEvent({
  code: 'TAP03I',
  event: 'app.create',
  label: 'Application Created',
  about: record,
  fields: { ...byUser, ...resource, ...application },
  tell: ({ user, name }) => line`${user} added the application ${name}`,
});

export const appUpdated = defineEvent({
  code: 'TAP04I',
  event: 'app.update',
  label: 'Application Updated',
  about: record,
  fields: { ...byUser, ...resource, ...application },
  tell: ({ user, name }) => line`${user} changed the application ${name}`,
});

/** Ours: names and hosts belong to the agents that had them until somebody frees them. */
export const appNameFreed = defineEvent({
  code: 'GH216I',
  event: 'app.name.free',
  label: 'Application Name Freed',
  about: record,
  fields: { ...byUser, ...resource, hosts: z.array(z.string()), group: z.string() },
  tell: ({ user, name }) => line`${user} freed the name of the application ${name}`,
});

/** Ours: what applications check identities by. */
export const appKeyRotated = defineEvent({
  code: 'GH218I',
  event: 'app.key.rotate',
  label: 'Application Identity Key Rotated',
  fields: { ...byUser, at_once: z.boolean() },
  tell: ({ user, at_once }) =>
    line`${user} made a new key that tells applications who somebody is${when(at_once, line`; the earlier ones count no more`)}`,
});

export const appDeleted = defineEvent({
  code: 'TAP05I',
  event: 'app.delete',
  label: 'Application Deleted',
  about: record,
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} removed the application ${name}`,
});
