/** Databases: the list every client knows, how administrators add, change and remove them, what is stored for signing in to them, and how programs get into one. */
import { z } from 'zod';
import { factorAnswer } from '../../identity/webauthn.ts';
import { label } from '../../std/labels.ts';
import { pemCertificates, resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listQuery, listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { heldNameRoutes } from '../held-names.ts';
import { DB_PROTOCOLS } from './db-address.ts';
import { dbKind } from './db-kind.ts';
import {
  DB_SIGN_INS,
  DB_TLS_MODES,
  dbAdminUser,
  dbAws,
  dbFields,
  dbGcp,
  dbLimits,
  dbName,
  dbPrincipal,
  dbTls,
} from './db-spec.ts';

/** What clients of the wire reference read, and `gatehouse` with what only our own look at. */
export const database = z.object({
  name: z.string(),
  desc: z.string(),
  protocol: z.enum(DB_PROTOCOLS),
  type: z.string(),
  labels: z.array(label),
  /** Of its address, without the port. */
  hostname: z.string(),
  /** What the caller may use there; `*`: any. */
  database_users: z.array(z.string()).optional(),
  database_names: z.array(z.string()).optional(),
  gatehouse: z
    .object({
      /** What people read: `Self-hosted PostgreSQL`. */
      title: z.string(),
      /** Announced by agents, or entered by an administrator, who can change it. */
      source: z.enum(['agent', 'entered']),
      uri: z.string(),
      /** `insecure` and `off` are to be marked. */
      tls: z.enum(DB_TLS_MODES),
      signIn: z.enum(DB_SIGN_INS),
      /** Where nobody names one. */
      database: z.string(),
      readOnly: z.boolean(),
      /** Why its record lets nobody in until somebody changes it. */
      wrong: z.string().optional(),
      /** Agents that reach it; none: the gateway dials by itself. */
      ways: z.number().int(),
      /** How many of those are connected to this gateway. */
      connected: z.number().int(),
      /** When somebody was last signed in there as its record has it now; absent while nobody was. Lists tell it, and what follows. */
      reached: z.string().optional(),
      /** Of its certificate, as it was then; only where that is checked. */
      certificateEnds: z.string().optional(),
      /** The last session there: of anybody, for who may list sessions; otherwise the caller's own. */
      lastUsed: z.object({ at: z.string(), user: z.string(), dbUser: z.string() }).optional(),
    })
    .optional(),
});
export type Database = z.output<typeof database>;

/** A database with all that can be edited. */
export const databaseDetails = z.object({
  item: database,
  ...dbFields,
  labels: resourceLabels,
  /** Agents that were named to dial it. */
  through: z.array(z.string()),
  /** Agents that dial it, by name: those that were named or that offer it, or those that look after databases with its labels. */
  agents: z.array(z.object({ name: z.string(), connected: z.boolean() })),
  /** Users whose passwords are stored, for who may change it. */
  stored: z.array(z.string()),
  /** What was seen when it was last dialled as its record has it now; without it, nobody has reached it yet. */
  learned: z
    .object({
      /** Empty while nobody was signed in: its certificate was seen. */
      reached: z.string(),
      /** In the server's words; empty while nobody was in. */
      version: z.string(),
      /** Of its certificate; empty where that is not checked. */
      certificateEnds: z.string(),
    })
    .optional(),
});
export type DatabaseDetails = z.output<typeof databaseDetails>;

/** An agent that looks after databases by their labels. One value of a label stands there by itself, several as a list. */
export const databaseService = z.object({
  name: z.string(),
  resource_matchers: z
    .array(z.object({ labels: z.record(z.string(), z.union([z.string(), z.array(z.string())])) }))
    .nullable(),
  gatehouse: z
    .object({
      connected: z.boolean(),
      /** Of the token it joined with: who made that one knows it by this. */
      resourceId: z.string(),
    })
    .optional(),
});
export type DatabaseService = z.output<typeof databaseService>;

const awsRds = z.object({ accountId: z.string().max(64), resourceId: z.string().max(64) });
const throughAgents = z.array(z.string().min(1).max(253)).max(16);
const { protocol, uri } = dbFields;
/** Without what stands for a field that is left out: in a change, that stays as it was. */
const further = {
  description: dbFields.description.unwrap().optional(),
  tls: dbTls.optional(),
  signIn: dbFields.signIn,
  database: dbFields.database.unwrap().optional(),
  users: dbFields.users.unwrap().optional(),
  names: dbFields.names.unwrap().optional(),
  limits: dbLimits.optional(),
  readOnly: dbFields.readOnly.unwrap().optional(),
  values: dbFields.values.unwrap().optional(),
  aws: dbAws.optional(),
  gcp: dbGcp.optional(),
  adminUser: dbAdminUser.optional(),
  /** Ids or names of agents that reach it; none: those that look after databases with its labels, else the gateway. */
  through: throughAgents.optional(),
};

/** As the reference writes it; everything further is ours. */
export const newDatabase = z.strictObject({
  name: dbName,
  protocol,
  uri,
  labels: z.array(label).max(128).optional(),
  awsRds: awsRds.optional(),
  ...further,
});
export type NewDatabase = z.input<typeof newDatabase>;

const password = z.string().min(1).max(1_024);

/** As much of one as a test of the way to it looks at. */
export const dbDraft = newDatabase
  .omit({ awsRds: true })
  .extend({
    name: dbName.optional(),
    /** As whom to sign in; without one nobody does. */
    dbUser: dbPrincipal.optional(),
    password: password.optional(),
  })
  .strip();

/** The hops to a database, in order. What comes after one that failed is skipped. */
export const DB_CHECK_STEPS = ['reach', 'tcp', 'tls', 'login', 'database'] as const;
export const dbCheckStep = z.object({
  step: z.enum(DB_CHECK_STEPS),
  /** `warning`: it works, but somebody should look at it. */
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  message: z.string(),
  /** What to do about it. */
  next: z.string(),
  ms: z.number(),
});
export type DbCheckStep = z.output<typeof dbCheckStep>;

/** Bytes of a connection to a database; see sessions/tcp-frames.ts. Its query says as whom, and which. */
export const DB_TCP_SOCKET = '/v1/webapi/sites/:clusterId/databases/:name/tcp';
/** The same without frames; see sessions/tcp-frames.ts. */
export const DB_STREAM = '/v1/webapi/sites/:clusterId/databases/:name/stream';

/** In the query of the socket and of the pass. */
export const dbRoute = z.object({
  dbUser: dbPrincipal,
  /** Empty: the default of the database. */
  dbName: z.union([z.literal(''), dbPrincipal]).default(''),
});
export type DbRoute = z.output<typeof dbRoute>;

export const databaseRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databases',
    summary: 'The databases the caller sees, with the users and names they may use in each.',
    auth: 'signed-in',
    needs: ['dbServers', 'list'],
    query: listQuery,
    reply: listReply(database),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databases/:name',
    summary: 'One database.',
    auth: 'signed-in',
    needs: ['dbServers', 'list'],
    reply: database,
  },
  add: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases',
    summary: 'Adds a database. A name that another one has is refused.',
    auth: 'signed-in',
    needs: ['db', 'create'],
    body: newDatabase,
    reply: database,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/databases/:name',
    summary: 'Changes what is said of a database that was entered; the rest stays as it is.',
    auth: 'signed-in',
    needs: ['db', 'edit'],
    body: newDatabase
      .omit({ name: true, protocol: true, uri: true })
      .extend({
        name: dbName.optional(),
        uri: uri.optional(),
        caCert: z.union([z.literal(''), pemCertificates]).optional(),
      })
      .strict(),
    reply: database,
  },
  check: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/check',
    summary:
      'Tries each hop to a database that is about to be added, and tells what came of it. Stores nothing, the password neither.',
    auth: 'signed-in',
    needs: ['db', 'create'],
    body: newDatabase.omit({ name: true, awsRds: true }).extend({
      /** As whom to sign in; without one the hops end before. */
      dbUser: dbPrincipal.optional(),
      password: password.optional(),
    }),
    reply: z.object({ steps: z.array(dbCheckStep) }),
  },
  details: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databases/:name/details',
    summary: 'One database with all that can be edited.',
    auth: 'signed-in',
    needs: ['dbServers', 'list'],
    reply: databaseDetails,
  },
  ...heldNameRoutes('db', dbKind),
  services: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databaseservices',
    summary: 'Agents that look after databases, with the labels of those. For who may list or make join tokens.',
    auth: 'signed-in',
    needs: ['dbServers', 'list'],
    reply: listReply(databaseService),
  },
  iamPolicy: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databases/:name/iam/policy',
    summary: 'The policy of AWS that lets the gateway sign in to a database of RDS; others are refused.',
    auth: 'signed-in',
    needs: ['dbServers', 'list'],
    reply: z.object({
      type: z.literal('aws'),
      aws: z.object({
        policy_document: z.string(),
        /** What stands in it for parts that nobody has said. */
        placeholders: z.array(z.string()).optional(),
      }),
    }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/databases/:name',
    summary: 'Removes a database that was entered, with the passwords that were stored for it.',
    auth: 'signed-in',
    needs: ['db', 'remove'],
    reply: ack,
  },
  setSecret: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/databases/:name/secrets/:dbUser',
    summary:
      'Stores the password of a user of a database. Nobody reads it again; another address or another way there voids it.',
    auth: 'signed-in',
    needs: ['db', 'edit'],
    body: z.strictObject({ password }),
    reply: ack,
  },
  removeSecret: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/databases/:name/secrets/:dbUser',
    summary: 'Forgets the password of a user of a database.',
    auth: 'signed-in',
    needs: ['db', 'edit'],
    reply: ack,
  },
  pass: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/:name/pass',
    summary:
      'Takes a second factor for connections to a database: what it gives goes with each of them, from the same sign-in, for an hour. Empty where no role asks for one.',
    auth: 'signed-in',
    body: z.object({ factor: factorAnswer.optional(), ...dbRoute.shape }),
    reply: z.object({ pass: z.string() }),
  },
  cancel: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/:name/cancel',
    summary: 'Cancels what runs in a session of the caller, by the key that their client was given.',
    auth: 'signed-in',
    body: z.strictObject({ key: z.string().regex(/^(?:[0-9a-f]{2}){8,260}$/, 'is no key for cancelling') }),
    reply: ack,
  },
});
