/** Statements that wait for somebody's approval: asked for by who may only read until then, decided by others, run once at the workbench. */
import { z } from 'zod';
import { isLineText, STEERING } from '../../std/line-text.ts';
import { ack } from '../../wire/ack.ts';
import { listOf } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { dbRoute } from './databases.ts';
import { DB_PROTOCOLS } from './db-address.ts';

/** PENDING becomes APPROVED, DENIED, WITHDRAWN or EXPIRED; APPROVED becomes USED, WITHDRAWN or EXPIRED, or DENIED where it is taken back. */
export const APPROVAL_STATES = ['PENDING', 'APPROVED', 'DENIED', 'WITHDRAWN', 'EXPIRED', 'USED'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** In characters and in bytes. */
export const MAX_ASKED_SQL = 64 * 1024;
export const MAX_APPROVAL_WORDS = 1_000;
/** Of one person. */
export const MAX_OPEN_APPROVALS = 20;
/** Of one person, whatever became of them. */
export const MAX_ASKED_IN_AN_HOUR = 60;
/** Of the text in a list; the whole of it comes with the request alone. */
export const LISTED_SQL = 2_000;

/** Read beside what it is about, to decide about that. */
const words = z
  .string()
  .trim()
  .max(MAX_APPROVAL_WORDS)
  .refine((text) => isLineText(text.replace(/[\t\r\n]/g, ' ')), STEERING);

export const statementApproval = z.object({
  id: z.string(),
  /** Of the database, as lists have it. */
  database: z.string(),
  protocol: z.enum(DB_PROTOCOLS),
  dbUser: z.string(),
  dbName: z.string(),
  user: z.string(),
  reason: z.string(),
  /** Its beginning in lists. Once it is over, without passwords. */
  sql: z.string(),
  /** Of the whole text, in characters: more than `sql` has where that is its beginning. */
  length: z.int(),
  statements: z.int(),
  state: z.enum(APPROVAL_STATES),
  created: z.string(),
  /** Until then somebody may decide about it, or it may be run. */
  expires: z.string(),
  decidedBy: z.string(),
  /** Empty until then. */
  decided: z.string(),
  note: z.string(),
  used: z.string(),
  /** Whoever asks may decide about it now. */
  mayDecide: z.boolean(),
  /** Whoever asks may deny it although it was approved: it was not run yet. */
  mayTakeBack: z.boolean(),
});
export type StatementApproval = z.output<typeof statementApproval>;

const approvals = z.object({ items: listOf(statementApproval) });

export const dbApprovalRoutes = defineRoutes({
  ask: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/databases/:name/approvals',
    summary:
      'Asks that others let the caller run statements in a database where they may only read without an approval.',
    auth: 'signed-in',
    body: z.strictObject({
      ...dbRoute.shape,
      sql: z.string().min(1).max(MAX_ASKED_SQL),
      reason: words.refine((text) => text !== '', 'say what it is for'),
    }),
    reply: statementApproval,
  },
  own: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databaseapprovals/own',
    summary: 'What the caller has asked for, the newest first.',
    auth: 'signed-in',
    reply: approvals,
  },
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databaseapprovals',
    summary: 'What others have asked for at databases the caller sees and decides about, those that wait first.',
    auth: 'signed-in',
    needs: ['dbApprovals', 'list'],
    reply: approvals,
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/databaseapprovals/:approval',
    summary: 'One request with its whole text: of the caller, or one they may read.',
    auth: 'signed-in',
    reply: statementApproval,
  },
  decide: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/databaseapprovals/:approval',
    summary:
      'Approves or denies what somebody else has asked for. Approved, it may be run once, by them, within an hour, or be denied until then.',
    auth: 'signed-in',
    needs: ['dbApprovals', 'edit'],
    body: z.strictObject({ state: z.enum(['APPROVED', 'DENIED']), note: words.default('') }),
    reply: statementApproval,
  },
  withdraw: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/databaseapprovals/:approval',
    summary: 'Takes back what the caller has asked for and not run.',
    auth: 'signed-in',
    reply: ack,
  },
});
