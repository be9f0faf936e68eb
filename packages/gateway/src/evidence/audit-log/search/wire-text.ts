/** Events as JSON text for the wire, put together from what is stored: the fields are JSON already and are not read again. */
import { type EventProof, PROOF_FIELD } from '@gatehouse/contract/audit/checkpoint';
import type { EventRow } from '../../../platform/audit/chain.ts';
import type { WireRow } from './find-events.ts';

/** Enough of it to see what it was. */
const MAX_UNREADABLE = 1_000;

/** With a row that is whole, proof included where it is wanted. */
export function wireText(row: EventRow, { proof }: { proof: boolean }): string {
  return wireEvent(row, proof ? proofOf(row) : undefined);
}

function wireEvent(row: WireRow, proof: EventProof | undefined): string {
  const text = JSON.stringify;
  const head =
    `{"ei":0,"event":${text(row.event)},"code":${text(row.code)},"time":"${new Date(row.time).toISOString()}"` +
    `,"uid":${text(row.uid)},"cluster_name":${text(row.cluster)}`;
  return `${head}${fieldsOf(row.data)}${proof ? `,"${PROOF_FIELD}":${text(proof)}` : ''}}`;
}

/** A row whose fields are no object costs itself alone: pasted in as it is, it would spoil its page, or put events on it. */
function fieldsOf(data: string): string {
  if (data === '{}') return '';
  const fields = readFields(data);
  if (fields === undefined) return `,"unreadable":${JSON.stringify(data.slice(0, MAX_UNREADABLE))}`;
  return Object.keys(fields).length === 0 ? '' : `,${data.slice(1, -1)}`;
}

/** Undefined for what is not one object, from its first letter to its last. */
export function readFields(data: string): object | undefined {
  if (!data.startsWith('{') || !data.endsWith('}')) return undefined;
  try {
    return JSON.parse(data) as object;
  } catch {
    return undefined;
  }
}

export function proofOf(row: EventRow): EventProof {
  return {
    chain: row.chain,
    index: row.chain_index,
    previous: row.prev_hash,
    hash: row.hash,
    severity: row.severity,
    user: row.user,
    signIn: row.sign_in,
    session: row.session,
    kind: row.resource_kind,
    name: row.resource_name,
    address: row.address,
  };
}

export function pageText(rows: readonly WireRow[], more: Record<string, unknown>): string {
  return joined(
    rows.map((row) => wireEvent(row, undefined)),
    more,
  );
}

export function provenPageText(rows: readonly EventRow[], more: Record<string, unknown>): string {
  return joined(
    rows.map((row) => wireEvent(row, proofOf(row))),
    more,
  );
}

function joined(events: readonly string[], more: Record<string, unknown>): string {
  const rest = Object.entries(more).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{"events":[${events.join(',')}]${rest.join('')}}`;
}
