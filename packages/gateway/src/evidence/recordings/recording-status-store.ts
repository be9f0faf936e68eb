/** What became of each recording, in the store: written as it happens and by the reconciler, read by lists and coverage. */
import type { GAP_CAUSES } from '@gatehouse/contract/recordings/recording-upkeep';
import { RECORDING_STATES, type RecordingState } from '@gatehouse/contract/recordings/recordings';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import { type LastWriter, writeLast } from '../../platform/storage/write-last.ts';
import { SESSION_TOPIC } from '../../sessions/host/session-store.ts';

export type GapCause = (typeof GAP_CAUSES)[number];

export interface KnownRecording {
  sid: string;
  /** `live` until somebody has looked at it after the end of its session. */
  state: RecordingState;
  gap: GapCause | '';
  /** For people: why it cannot be played, or what is missing. */
  reason: string;
  bytes: number;
  durationMs: number;
  changed: number;
  checked: number;
  /** The end of it that was sealed last, as far as is known. */
  mark?: RecordingMark | undefined;
  /** What was found wrong with it while its session went on. */
  finding?: string;
}

/** A place of a recording that is known from elsewhere than its file. */
export interface RecordingMark {
  /** Where a frame ends in the file. */
  end: number;
  /** SHA-256 of that frame, hex. */
  hash: string;
  /** Names the gateway in whose folder the file is. */
  place: string;
}

const PLAYABLE: ReadonlySet<RecordingState> = new Set(['complete', 'live', 'truncated']);
/** Statements have a limit on parameters. */
const PER_STATEMENT = 500;
const stateName = z.enum(RECORDING_STATES).catch('missing');

export function isPlayable(state: RecordingState): boolean {
  return PLAYABLE.has(state);
}

/** Whether its file is in the folder of another gateway, where nobody here can tell what became of it. */
export function isElsewhere(
  { mark, state, gap, checked }: KnownRecording,
  { place, hasBucket }: { place: string; hasBucket: boolean },
): boolean {
  if (mark === undefined || mark.place === place || state === 'removed' || state === 'disabled') return false;
  return !hasBucket || gap === 'not_uploaded' || checked === 0;
}

export async function findRecording(db: Db, sid: string): Promise<KnownRecording | undefined> {
  return (await findRecordings(db, [sid])).get(sid);
}

/** By session; those of which nothing is known are left out. */
export async function findRecordings(db: Db, sids: readonly string[]): Promise<Map<string, KnownRecording>> {
  const found = new Map<string, KnownRecording>();
  for (let at = 0; at < sids.length; at += PER_STATEMENT) {
    const part = sids.slice(at, at + PER_STATEMENT);
    const rows = await db.selectFrom('recording').selectAll().where('sid', 'in', part).execute();
    for (const row of rows) found.set(row.sid, toRecording(row));
  }
  return found;
}

/** Nothing is known of it yet, or it goes on. */
export function begunRecording(sid: string): KnownRecording {
  return { sid, state: 'live', gap: '', reason: '', bytes: 0, durationMs: 0, changed: 0, checked: 0 };
}

/** False: something is known of it already, and stays. */
export async function insertRecording(db: Db, known: KnownRecording): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('recording')
    .values({ sid: known.sid, ...valuesOf(known) })
    .onConflict((conflict) => conflict.column('sid').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** With others that begin in the same transaction. */
export async function insertBegun(tx: Tx, sid: string): Promise<void> {
  await writeLast(tx, begun, [begunRecording(sid)]);
}

const begun: LastWriter<KnownRecording> = {
  order: 0,
  compile: (tx, all) =>
    tx
      .insertInto('recording')
      .values(all.map((known) => ({ sid: known.sid, ...valuesOf(known) })))
      .onConflict((conflict) => conflict.column('sid').doNothing())
      .compile(),
};

/** What was removed stays removed: whoever looked at the file meanwhile would write down that it is there. */
export async function writeRecording(db: Db | Tx, known: KnownRecording): Promise<void> {
  const values = valuesOf(known);
  await db
    .insertInto('recording')
    .values({ sid: known.sid, ...values })
    .onConflict((conflict) => conflict.column('sid').doUpdateSet(values).where('recording.state', '!=', 'removed'))
    .execute();
}

function valuesOf({ state, gap, reason, bytes, durationMs, changed, checked }: KnownRecording) {
  return { state, gap, reason: reason.slice(0, 1000), bytes, duration_ms: durationMs, changed, checked };
}

export async function markRecording(db: Db, sid: string, { end, hash, place }: RecordingMark): Promise<void> {
  const mark = { mark_end: end, mark_hash: hash, mark_place: place };
  await db.updateTable('recording').set(mark).where('sid', '=', sid).execute();
}

/** Stays, whatever becomes of it: a new part begins, and with it a new mark. */
export async function noteFinding(db: Db | Tx, sid: string, finding: string): Promise<void> {
  const cleared = { mark_end: 0, mark_hash: '', mark_place: '' };
  await db
    .updateTable('recording')
    .set({ finding: finding.slice(0, 1000), ...cleared })
    .where('sid', '=', sid)
    .execute();
}

/** Lists that show it look again. */
export async function tellRecordingChanged(tx: Tx, { sid, user }: { sid: string; user: string }): Promise<void> {
  await publish(tx, { topic: SESSION_TOPIC, id: sid, data: { user } });
}

export function toRecording(row: Selectable<Tables['recording']>): KnownRecording {
  return {
    sid: row.sid,
    state: stateName.parse(row.state),
    gap: row.gap as GapCause | '',
    reason: row.reason,
    bytes: row.bytes,
    durationMs: row.duration_ms,
    changed: row.changed,
    checked: row.checked,
    mark: row.mark_end > 0 ? { end: row.mark_end, hash: row.mark_hash, place: row.mark_place } : undefined,
    finding: row.finding,
  };
}
