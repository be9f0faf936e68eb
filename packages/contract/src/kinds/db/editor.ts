/**
 * One browser tab on one database, over a websocket of its own. All frames are JSON texts of at most EDITOR_FRAME_BYTES.
 *
 *   console  hello(token)                   as on every socket of ours
 *   console  open(dbUser, dbName)
 *   gateway  factor(challenge)              only where a role asks for a second factor; answered by factor(answer)
 *   gateway  flow(live | waiting | frozen)  only where a role wants people to join: nothing is sent or shown before `live`;
 *                                           what is asked meanwhile is answered `failed`, `cancel` and `settle` are passed over
 *   gateway  ready(…)                       signed in; from here on everything below
 *   gateway  refused(code, message)         nothing was opened; the socket closes
 *   gateway  ended(cause, message)          the session is over; the socket closes
 *
 * Whatever is asked has an `id` that the page counts up, and is answered under it until `done`, `failed` or the answer that
 * stands beside it below. Each `tab` is a connection of its own at the database, opened when it is first used: what one tab runs
 * keeps no other waiting, and transactions and settings are the tab's own. What is asked of a tab that is busy waits its turn.
 *
 *   run      one or more statements         for each: columns, rows …, done; `left` of the last is 0. The first failure ends it
 *   more     the rest of a result           rows …, done. Kept 60 s after `done.more`, and until the tab runs something else
 *   export   a whole result as a file       piece …, done
 *   explain                                 plan, done
 *   dryRun   writes, in a transaction       tried; then settle within 60 s, or it is rolled back: settled
 *   runApproved  what somebody approved        as run; all of it runs, however much is shown. Once, on a connection of its own
 *   edit     changes of rows                edited, or failed with `change`
 *   tree, names                             nodes; names
 *   history, saved, save, forget            statements; done
 *   command, keys, key                      Redis alone: reply; keys; key
 *
 * Of MongoDB a statement is a command, as its shell writes one: `{ find: "orders", filter: {…}, $db: "shop" }`. It has one column,
 * `document` for what a cursor gives and `answer` for anything else, whose values are Extended JSON; one that was cut can be read
 * too. Its tree: [] databases, [database] collections, [database, collection] groups, and what is in those.
 *
 * Data goes ahead of the page by EDITOR_AHEAD_BYTES at most: each `rows` and `piece` has a number, and `ack` names the last one
 * that was taken. Values are what the server wrote, as text. `position` counts characters of the text that was sent, from 0.
 */
import { z } from 'zod';
import { authenticateChallenge, factorAnswer } from '../../identity/webauthn.ts';
import { endedFrame, refusedFrame } from '../../wire/last-frames.ts';
import { dbRoute } from './databases.ts';
import { DB_PROTOCOLS } from './db-address.ts';

export const DB_EDITOR_SOCKET = '/v1/webapi/sites/:clusterId/databases/:name/editor';

/** A longer frame closes the socket: measure what is sent. */
export const EDITOR_FRAME_BYTES = 1024 * 1024;
export const EDITOR_AHEAD_BYTES = 1024 * 1024;
/** Characters of what is run at once; within a frame. */
export const MAX_EDITOR_SQL = 1_000_000;
/** Longer values are cut, and marked. */
export const MAX_CELL_BYTES = 64 * 1024;
export const EDITOR_TABS = 8;
export const NODES_AT_ONCE = 500;
export const CURSOR_MS = 60_000;
export const DRY_RUN_MS = 60_000;
export const MAX_EDIT_CHANGES = 500;
export const MAX_SAVED_NAME = 100;

const id = z.int().min(1);
const tab = z
  .int()
  .min(0)
  .max(EDITOR_TABS - 1);
const sql = z.string().min(1).max(MAX_EDITOR_SQL);
const name = z.string().max(256);
const value = z.string().max(MAX_EDITOR_SQL).nullable();
const maxRows = z.int().min(1).max(100_000).optional();
const cells = z.record(name, value);

/** A name or a value of Redis: a text where its bytes are one. */
export const redisText = z.union([z.string(), z.object({ base64: z.base64() })]);
export type RedisText = z.output<typeof redisText>;

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Of one table with a primary key. What is changed or removed must still have the values of `old`. */
export const rowChange = z.discriminatedUnion('what', [
  z.object({ what: z.literal('update'), key: cells, old: cells, values: cells }),
  z.object({ what: z.literal('delete'), key: cells, old: cells }),
  z.object({ what: z.literal('insert'), values: cells }),
]);
export type RowChange = z.output<typeof rowChange>;

export const tableName = z.object({ schema: name, table: name });
export type TableName = z.output<typeof tableName>;

export const editorOpening = z.object({ type: z.literal('open'), ...dbRoute.shape });
export type EditorOpening = z.output<typeof editorOpening>;

export const editorRequest = z.discriminatedUnion('type', [
  factorAnswer.extend({ type: z.literal('factor') }),
  z.object({ type: z.literal('run'), id, tab, sql, maxRows }),
  /** `approval`: its id. The text is the one that was approved. */
  z.object({ type: z.literal('runApproved'), id, tab, approval: z.uuid() }),
  z.object({ type: z.literal('more'), id, maxRows }),
  /** Lets go of the rest of a result. */
  z.object({ type: z.literal('close'), id }),
  z.object({ type: z.literal('closeTab'), tab }),
  z.object({ type: z.literal('ack'), id, seq: z.int().min(0) }),
  /** At the server; what was asked then answers `failed`. */
  z.object({ type: z.literal('cancel'), id }),
  z.object({ type: z.literal('export'), id, tab, sql, format: z.enum(EXPORT_FORMATS) }),
  /** `analyze`: it runs, in a transaction that is rolled back. */
  z.object({ type: z.literal('explain'), id, tab, sql, analyze: z.boolean().default(false) }),
  z.object({ type: z.literal('dryRun'), id, tab, sql }),
  z.object({ type: z.literal('settle'), id, commit: z.boolean() }),
  z.object({
    type: z.literal('edit'),
    id,
    tab,
    ...tableName.shape,
    changes: z.array(rowChange).min(1).max(MAX_EDIT_CHANGES),
  }),
  /** One level: [] schemas, [schema] its groups, [schema, group] what is in it, [schema, group, name] the parts of that. */
  z.object({ type: z.literal('tree'), id, path: z.array(name).max(4), after: name.optional() }),
  /** For completion. */
  z.object({ type: z.literal('names'), id }),
  z.object({ type: z.literal('history'), id, before: z.int().optional(), search: z.string().max(200).optional() }),
  z.object({ type: z.literal('saved'), id }),
  z.object({ type: z.literal('save'), id, name: z.string().trim().min(1).max(MAX_SAVED_NAME), sql }),
  z.object({ type: z.literal('forget'), id, what: z.enum(['saved', 'history']), name: name.optional() }),
  z.object({ type: z.literal('command'), id, tab, line: sql }),
  /** `kind`: only keys of this type. They are of the database that was last chosen by SELECT. */
  z.object({
    type: z.literal('keys'),
    id,
    cursor: z.string().regex(/^\d{1,20}$/),
    match: z.string().max(1_024).optional(),
    kind: z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .optional(),
  }),
  /** `cursor`: of the answer before; '0' from the beginning. */
  z.object({
    type: z.literal('key'),
    id,
    name: redisText,
    cursor: z
      .string()
      .regex(/^[\d-]{1,48}$/)
      .default('0'),
  }),
]);
export type EditorRequest = z.output<typeof editorRequest>;

export const TREE_KINDS = [
  'schema',
  'group',
  'table',
  'view',
  'function',
  'sequence',
  'column',
  'key',
  'index',
  'trigger',
] as const;
export const treeNode = z.object({
  /** The next part of the path to it. */
  name: z.string(),
  kind: z.enum(TREE_KINDS),
  /** Its type, columns or definition. */
  detail: z.string(),
  /** About how many rows, where the server has an idea. */
  rows: z.number().optional(),
  /** Of a column: part of the primary key. */
  isKey: z.boolean().optional(),
  isLeaf: z.boolean(),
});
export type TreeNode = z.output<typeof treeNode>;

export const TRANSACTIONS = ['none', 'open', 'failed'] as const;
const ms = z.object({ server: z.number(), gateway: z.number() });
/** Which of the statements of a `run`, from 0. */
const statement = z.int().min(0);
const seq = z.int().min(0);

export const keptStatement = z.object({
  at: z.number(),
  name: z.string().optional(),
  sql: z.string(),
  ms: z.number().optional(),
  rows: z.number().optional(),
  error: z.string().optional(),
});
export type KeptStatement = z.output<typeof keptStatement>;

const redisLeaf = z.discriminatedUnion('is', [
  /** `bytes`: how long the whole is, where it is cut. */
  z.object({ is: z.literal('text'), value: redisText, bytes: z.int().optional() }),
  z.object({ is: z.literal('status'), value: z.string() }),
  z.object({ is: z.literal('number'), value: z.string() }),
  z.object({ is: z.literal('null') }),
  z.object({ is: z.literal('error'), value: z.string() }),
]);
/** `left`: how many more there are, which are not told. */
export type RedisValue =
  | z.output<typeof redisLeaf>
  | { is: 'list' | 'map'; values: RedisValue[]; left?: number | undefined };
export const redisValue: z.ZodType<RedisValue> = z.lazy(() =>
  z.union([
    redisLeaf,
    z.object({ is: z.enum(['list', 'map']), values: z.array(redisValue), left: z.int().optional() }),
  ]),
);

/** Only where a role wants people to join. */
export const editorFlow = z.object({
  type: z.literal('flow'),
  /** As of terminals: `waiting` has dialled nothing, `frozen` passes nothing. */
  flow: z.enum(['live', 'waiting', 'frozen']),
  since: z.string(),
  /** Ways to fulfil what roles ask for: `missing` more people in one of the modes. */
  needs: z.array(
    z.object({
      role: z.string(),
      policy: z.string(),
      missing: z.int().min(0),
      modes: z.array(z.enum(['observer', 'moderator', 'peer'])),
    }),
  ),
  /** Users who could join so that it goes on, the first few. */
  could: z.array(z.string()),
});
export type EditorFlow = z.output<typeof editorFlow>;

export const editorReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('factor'), challenge: authenticateChallenge }),
  editorFlow,
  z.object({
    type: z.literal('ready'),
    sid: z.string(),
    protocol: z.enum(DB_PROTOCOLS),
    /** As the server writes it: `15.14`, `10.11.14-MariaDB`. */
    version: z.string(),
    dbUser: z.string(),
    dbName: z.string(),
    readOnly: z.boolean(),
    webRows: z.int(),
    mayExport: z.boolean(),
    recorded: z.boolean(),
    /** What is refused as it could write can be asked for. */
    asks: z.boolean().default(false),
  }),
  z.object({
    type: z.literal('columns'),
    id,
    statement,
    /** Where its text begins and ends in what was sent. */
    from: z.int(),
    to: z.int(),
    names: z.array(z.string()),
    types: z.array(z.string()),
  }),
  /** `cut`: which cells are shorter than the value, and how many bytes that has. */
  z.object({
    type: z.literal('rows'),
    id,
    statement,
    seq,
    rows: z.array(z.array(z.string().nullable())),
    cut: z.array(z.object({ row: z.int(), column: z.int(), bytes: z.int() })),
  }),
  /** Every row of a result is one of this table and has its whole key: it may be edited. `columns`: what each column is there. */
  z.object({
    type: z.literal('source'),
    id,
    statement,
    ...tableName.shape,
    columns: z.array(z.string()),
    key: z.array(z.string()),
  }),
  /** What the server says beside the result. */
  z.object({ type: z.literal('notice'), id, severity: z.string(), message: z.string() }),
  z.object({ type: z.literal('piece'), id, seq, text: z.string() }),
  z.object({
    type: z.literal('done'),
    id,
    statement,
    /** Statements of the same run that follow. */
    left: z.int().min(0),
    /** What the server calls what was done: `UPDATE 3`. */
    tag: z.string(),
    /** Shown since the last `done`, or touched. */
    rows: z.int(),
    ms,
    more: z.boolean(),
    transaction: z.enum(TRANSACTIONS),
  }),
  z.object({
    type: z.literal('failed'),
    id,
    statement: statement.optional(),
    /** Of the server, or one of ours: `read_only`, `cancelled`, `denied`, `bad_request`, `conflict`, `closed`, `frozen`. */
    code: z.string(),
    message: z.string(),
    detail: z.string().optional(),
    hint: z.string().optional(),
    position: z.int().optional(),
    /** Of an `edit`: which change. */
    change: z.int().optional(),
    transaction: z.enum(TRANSACTIONS).optional(),
  }),
  z.object({ type: z.literal('plan'), id, format: z.enum(['json', 'text']), text: z.string() }),
  /** Until then it waits to be settled. */
  z.object({ type: z.literal('tried'), id, rows: z.int(), tag: z.string(), until: z.string() }),
  z.object({ type: z.literal('settled'), id, committed: z.boolean(), why: z.enum(['asked', 'late', 'failed']) }),
  z.object({ type: z.literal('edited'), id, rows: z.int() }),
  z.object({
    type: z.literal('nodes'),
    id,
    nodes: z.array(treeNode),
    /** There are more: ask again after this one. */
    after: z.string().optional(),
  }),
  z.object({
    type: z.literal('names'),
    id,
    tables: z.array(z.object({ ...tableName.shape, columns: z.array(z.string()) })),
    /** There are more than are told. */
    isCut: z.boolean(),
  }),
  z.object({ type: z.literal('statements'), id, statements: z.array(keptStatement), before: z.int().optional() }),
  z.object({ type: z.literal('reply'), id, value: redisValue, ms, dbName: z.string() }),
  z.object({
    type: z.literal('keys'),
    id,
    /** '0': that was all. */
    cursor: z.string(),
    total: z.int(),
    /** `kind`: empty where only looking at the key tells it. */
    keys: z.array(z.object({ name: redisText, kind: z.string(), endsInMs: z.int().optional() })),
  }),
  z.object({
    type: z.literal('key'),
    id,
    name: redisText,
    /** `none`: there is no such key. */
    kind: z.string(),
    encoding: z.string(),
    endsInMs: z.int().optional(),
    bytes: z.int().optional(),
    /** Of a text its bytes, else its members. */
    size: z.int(),
    /** Field and value, member and score, index and value, member alone; of a stream id and fields. */
    entries: z.array(z.array(redisText)),
    cursor: z.string(),
  }),
  endedFrame,
  refusedFrame,
]);
export type EditorReply = z.output<typeof editorReply>;
