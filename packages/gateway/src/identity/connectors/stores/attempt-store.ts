/** Whoever is on the way through a provider: begun, answered once, finished once. */
import { randomUUID } from 'node:crypto';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { hashToken } from '../../../platform/crypto/tokens.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import { countedAs, makeRoom } from '../../stores/crowded-table.ts';

export const ATTEMPT_MS = 10 * 60_000;
export const CODE_MS = 60_000;
/** Anybody may begin. A network of this many is a large company on a Monday, or an attack. */
const BOUNDS = { total: 50_000, perNetwork: 5_000 };

/** `browser`: somebody signs in. `test`: changes nothing. `prove`: links a provider to whoever is signed in. */
export const PURPOSES = ['browser', 'test', 'prove'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What the answer is checked with, and where the browser goes afterwards. */
const keptSchema = z.object({
  kept: z.record(z.string(), z.string()),
  callback: z.string(),
  path: z.string(),
  /** Of a test: the document that is tried, and its secrets. */
  draft: z
    .object({ content: z.string(), secrets: z.record(z.string(), z.string()), ownMachine: z.boolean().default(false) })
    .optional(),
  discovery: z.string(),
  /** Where the provider is. */
  url: z.string(),
  /** Of a link: the keys to their account that whoever began it said to be theirs. */
  keep: z.array(z.string()).optional(),
});
export type KeptAttempt = z.output<typeof keptSchema>;

export interface Attempt {
  id: string;
  stateHash: string;
  kind: ConnectorKind;
  connector: string;
  revision: string;
  purpose: Purpose;
  user: string | undefined;
  signInId: string | undefined;
  browserHash: string;
  expires: number;
  /** When its answer came. */
  answered: number | undefined;
}

export interface NewAttempt extends Omit<Attempt, 'id' | 'stateHash' | 'expires' | 'answered'> {
  state: string;
  kept: KeptAttempt;
  /** Where it was begun. */
  address: string;
  now: number;
}

const kind = z.enum(CONNECTOR_KINDS);
const purpose = z.enum(PURPOSES);

export async function insertAttempt(db: Db, box: SecretBox, given: NewAttempt): Promise<string> {
  const counted = countedAs(given);
  await makeRoom(db, 'sso_attempt', { network: counted.network, now: given.now }, BOUNDS);
  const stateHash = hashToken(given.state);
  const id = randomUUID();
  await db
    .insertInto('sso_attempt')
    .values({
      state_hash: stateHash,
      id,
      kind: given.kind,
      connector: given.connector,
      revision: given.revision,
      purpose: given.purpose,
      user: given.user ?? null,
      sign_in: given.signInId ?? null,
      browser_hash: given.browserHash,
      ...counted,
      sealed: box.seal(placeOf(stateHash, 'sealed'), JSON.stringify(given.kept)),
      created: given.now,
      expires: given.now + ATTEMPT_MS,
      answered: null,
      code_hash: null,
      code_expires: null,
      sealed_answer: null,
      finished: null,
      sealed_result: null,
    })
    .execute();
  return id;
}

/** The first browser that opens a test is the one it is of. */
export async function claimBrowser(db: Db, id: string, browserHash: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('sso_attempt')
    .set({ browser_hash: browserHash })
    .where('id', '=', id)
    .where('browser_hash', '=', '')
    .where('expires', '>', now)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Takes it for its one answer; nothing for an unknown, late or second one. */
export async function takeForAnswer(
  db: Db,
  box: SecretBox,
  state: string,
  now: number,
): Promise<{ attempt: Attempt; kept: KeptAttempt } | undefined> {
  const row = await db
    .updateTable('sso_attempt')
    .set({ answered: now })
    .where('state_hash', '=', hashToken(state))
    .where('answered', 'is', null)
    .where('expires', '>', now)
    .returningAll()
    .executeTakeFirst();
  return row && { attempt: toAttempt(row), kept: openKept(box, row) };
}

/** Keeps what the provider said for the page that finishes it. */
export async function keepAnswer(
  db: Db,
  box: SecretBox,
  { stateHash }: Attempt,
  { code, answer, now }: { code: string; answer: string; now: number },
): Promise<void> {
  await db
    .updateTable('sso_attempt')
    .set({
      code_hash: hashToken(code),
      code_expires: now + CODE_MS,
      sealed_answer: box.seal(placeOf(stateHash, 'sealed_answer'), answer),
    })
    .where('state_hash', '=', stateHash)
    .execute();
}

export async function findByCode(
  db: Db,
  box: SecretBox,
  code: string,
  now: number,
): Promise<{ attempt: Attempt; kept: KeptAttempt; answer: string } | undefined> {
  const row = await db
    .selectFrom('sso_attempt')
    .selectAll()
    .where('code_hash', '=', hashToken(code))
    .where('code_expires', '>', now)
    .where('finished', 'is', null)
    .executeTakeFirst();
  if (!row?.sealed_answer) return undefined;
  const answer = box.openText(placeOf(row.state_hash, 'sealed_answer'), row.sealed_answer);
  return { attempt: toAttempt(row), kept: openKept(box, row), answer };
}

/** Whoever has just answered needs longer to find their key than a page needs to load. From the answer on, however often the page is opened. */
export async function extendCode(db: Db, { stateHash }: Attempt, ms: number): Promise<void> {
  await db
    .updateTable('sso_attempt')
    .set((eb) => ({ code_expires: eb('answered', '+', ms) }))
    .where('state_hash', '=', stateHash)
    .execute();
}

/** False when it was finished before. What the provider said is forgotten with it. */
export async function finishAttempt(tx: Tx, { stateHash }: Attempt, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('sso_attempt')
    .set({ finished: now, sealed_answer: null })
    .where('state_hash', '=', stateHash)
    .where('finished', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Whether the browser that began it has finished another way through the same connector, and signed in by that. */
export async function hasFinishedAs(
  db: Db,
  { stateHash, connector, browserHash }: Pick<Attempt, 'stateHash' | 'connector' | 'browserHash'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('sso_attempt')
    .select('id')
    .where('browser_hash', '=', browserHash)
    .where('connector', '=', connector)
    .where('purpose', '=', 'browser' satisfies Purpose)
    .where('state_hash', '!=', stateHash)
    .where('finished', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function keepResult(db: Db, box: SecretBox, { stateHash }: Attempt, result: string): Promise<void> {
  await db
    .updateTable('sso_attempt')
    .set({ sealed_result: box.seal(placeOf(stateHash, 'sealed_result'), result) })
    .where('state_hash', '=', stateHash)
    .execute();
}

/** For whoever began it. */
export async function findAttempt(
  db: Db,
  box: SecretBox,
  id: string,
  now: number,
): Promise<{ attempt: Attempt; kept: KeptAttempt; result: string | undefined } | undefined> {
  const row = await db
    .selectFrom('sso_attempt')
    .selectAll()
    .where('id', '=', id)
    .where('expires', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  const result = row.sealed_result
    ? box.openText(placeOf(row.state_hash, 'sealed_result'), row.sealed_result)
    : undefined;
  return { attempt: toAttempt(row), kept: openKept(box, row), result };
}

function openKept(box: SecretBox, row: Selectable<Tables['sso_attempt']>): KeptAttempt {
  return keptSchema.parse(JSON.parse(box.openText(placeOf(row.state_hash, 'sealed'), row.sealed)));
}

function placeOf(stateHash: string, column: string) {
  return { table: 'sso_attempt', id: stateHash, column };
}

function toAttempt(row: Selectable<Tables['sso_attempt']>): Attempt {
  return {
    id: row.id,
    stateHash: row.state_hash,
    kind: kind.parse(row.kind),
    connector: row.connector,
    revision: row.revision,
    purpose: purpose.parse(row.purpose),
    user: row.user ?? undefined,
    signInId: row.sign_in ?? undefined,
    browserHash: row.browser_hash,
    expires: row.expires,
    answered: row.answered ?? undefined,
  };
}
