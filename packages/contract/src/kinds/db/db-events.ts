/** Events of databases: sessions, queries, and the records of the databases themselves. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import {
  byUser,
  connection,
  database,
  resource,
  server,
  session,
  statementFacts,
  status,
} from '../../events/event-fields.ts';
import { because, cut, type Line, line, named } from '../../events/line.ts';

const about = { kind: 'db', name: 'db_service' } as const;
const record = { kind: 'db', name: 'name' } as const;
const dbSession = { ...byUser, ...session, ...database } as const;
const start = { ...dbSession, ...server, ...connection, ...status } as const;
const queried = {
  ...dbSession,
  db_query: z.string(),
  db_query_parameters: z.array(z.string()).optional(),
  ...status,
  ...statementFacts,
} as const;

/** What runs at each sign-in from now on, without its secrets; only where it was changed. */
const runFirst = { init_sql: z.array(z.string()).optional() } as const;

/** The database within the service, where the protocol has such a thing. */
function within(service: string | undefined, name: string | undefined): Line {
  return line`${service}${named(name)}`;
}

export const dbSessionStarted = defineEvent({
  code: 'TDB00I',
  event: 'db.session.start',
  label: 'Database Session Started',
  about,
  fields: start,
  tell: ({ user, db_service, db_name, db_user }) =>
    line`${user} connected to the database ${within(db_service, db_name)} as ${db_user}`,
});

export const dbSessionDenied = defineEvent({
  code: 'TDB00W',
  event: 'db.session.start',
  label: 'Database Session Denied',
  about,
  fields: start,
  tell: ({ user, db_service, db_name, db_user, error }) =>
    line`${user} was not let into the database ${within(db_service, db_name)} as ${db_user}${because(error)}`,
});

export const dbSessionEnded = defineEvent({
  code: 'TDB01I',
  event: 'db.session.end',
  label: 'Database Session Ended',
  about,
  fields: { ...dbSession, session_recording: z.string().optional() },
  tell: ({ user, db_service, db_name }) => line`${user} left the database ${within(db_service, db_name)}`,
});

export const dbQuery = defineEvent({
  code: 'TDB02I',
  event: 'db.session.query',
  label: 'Database Query',
  about,
  fields: queried,
  tell: ({ user, db_query, db_service, db_name }) =>
    line`${user} ran ${cut(db_query)} in ${within(db_service, db_name)}`,
});

export const dbQueryFailed = defineEvent({
  code: 'TDB02W',
  event: 'db.session.query.failed',
  label: 'Database Query Failed',
  about,
  fields: queried,
  tell: ({ user, db_query, db_service, db_name, error }) =>
    line`${user} ran ${cut(db_query)} in ${within(db_service, db_name)}, which failed${because(error)}`,
});

export const dbMalformedPacket = defineEvent({
  code: 'TDB06I',
  event: 'db.session.malformed_packet',
  label: 'Database Malformed Packet',
  about,
  fields: { ...dbSession, payload: z.string().optional() },
  tell: ({ user, db_service, db_name }) =>
    line`${user} sent something that is no message of its protocol to ${within(db_service, db_name)}`,
});

export const dbCreated = defineEvent({
  code: 'TDB03I',
  event: 'db.create',
  label: 'Database Created',
  about: record,
  fields: { ...byUser, ...resource, ...database, ...runFirst },
  tell: ({ user, name }) => line`${user} added the database ${name}`,
});

export const dbUpdated = defineEvent({
  code: 'TDB04I',
  event: 'db.update',
  label: 'Database Updated',
  about: record,
  fields: { ...byUser, ...resource, ...database, ...runFirst },
  tell: ({ user, name, init_sql }) =>
    init_sql === undefined
      ? line`${user} changed the database ${name}`
      : line`${user} changed the database ${name}, and what runs at each sign-in to it`,
});

export const dbDeleted = defineEvent({
  code: 'TDB05I',
  event: 'db.delete',
  label: 'Database Deleted',
  about: record,
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} removed the database ${name}`,
});

const madeUser = { ...byUser, ...database, sid: z.string().optional() } as const;

/** Ours. The name of the database user is that of the person. */
export const dbUserActivated = defineEvent({
  code: 'GH391I',
  event: 'db.user.activate',
  label: 'Database User Activated',
  about,
  fields: { ...madeUser, db_roles: z.array(z.string()), created: z.boolean() },
  tell: ({ db_service, db_user, db_roles, created }) =>
    line`the user ${db_user} of the database ${db_service} was ${created ? 'made' : 'enabled'} with the roles ${db_roles}`,
});

export const dbUserDeactivated = defineEvent({
  code: 'GH392I',
  event: 'db.user.deactivate',
  label: 'Database User Deactivated',
  about,
  fields: { ...madeUser, dropped: z.boolean(), message: z.string().optional() },
  tell: ({ db_service, db_user, dropped }) =>
    line`the user ${db_user} of the database ${db_service} was ${dropped ? 'dropped' : 'disabled'}`,
});

export const dbUserLeft = defineEvent({
  code: 'GH393W',
  event: 'db.user.deactivate',
  label: 'Database User Not Deactivated',
  about,
  fields: { ...madeUser, error: z.string() },
  tell: ({ db_service, db_user, error }) =>
    line`the user ${db_user} of the database ${db_service} could not be disabled${because(error)}`,
});

const asked = {
  ...byUser,
  ...database,
  /** Its id. */
  approval: z.string(),
  /** Who asked. */
  asked_by: z.string(),
  reason: z.string().optional(),
} as const;

/** Ours, as all of approvals. The text is without its secrets. */
export const dbApprovalAsked = defineEvent({
  code: 'GH394I',
  event: 'db.approval.ask',
  label: 'Database Approval Asked For',
  about,
  fields: {
    ...asked,
    db_query: z.string(),
    length: z.number().optional(),
    /** Of the whole, where no secret is in it. */
    sha256: z.string().optional(),
  },
  tell: ({ user, db_query, db_service, db_name, reason }) =>
    line`${user} asked to run ${cut(db_query)} in ${within(db_service, db_name)}${because(reason)}`,
});

export const dbApprovalGiven = defineEvent({
  code: 'GH395I',
  event: 'db.approval.approve',
  label: 'Database Approval Given',
  about,
  fields: asked,
  tell: ({ user, asked_by, db_service, db_name, reason }) =>
    line`${user} approved what ${asked_by} asked to run in ${within(db_service, db_name)}${because(reason)}`,
});

export const dbApprovalDenied = defineEvent({
  code: 'GH396I',
  event: 'db.approval.deny',
  label: 'Database Approval Denied',
  about,
  fields: asked,
  tell: ({ user, asked_by, db_service, db_name, reason }) =>
    line`${user} denied what ${asked_by} asked to run in ${within(db_service, db_name)}${because(reason)}`,
});

export const dbApprovalWithdrawn = defineEvent({
  code: 'GH397I',
  event: 'db.approval.withdraw',
  label: 'Database Approval Withdrawn',
  about,
  fields: asked,
  tell: ({ user, db_service, db_name }) =>
    line`${user} took back what they asked to run in ${within(db_service, db_name)}`,
});

export const dbApprovalUsed = defineEvent({
  code: 'GH398I',
  event: 'db.approval.use',
  label: 'Database Approval Used',
  about,
  fields: { ...asked, approved_by: z.string(), sid: z.string() },
  tell: ({ user, approved_by, db_service, db_name }) =>
    line`${user} ran what ${approved_by} had approved in ${within(db_service, db_name)}`,
});
