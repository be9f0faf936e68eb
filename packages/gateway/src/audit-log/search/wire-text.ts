/** Events as JSON text for the wire, put together from what is stored: the fields are JSON already and are not read again. */
import { type EventProof, PROOF_FIELD } from '@gatehouse/contract/audit/checkpoint';
import type { EventRow } from '../../audit/chain.ts';

export function wireText(row: EventRow, { proof }: { proof: boolean }): string {
  const text = JSON.stringify;
  const head =
    `{"ei":0,"event":${text(row.event)},"code":${text(row.code)},"time":"${new Date(row.time).toISOString()}"` +
    `,"uid":${text(row.uid)},"cluster_name":${text(row.cluster)}`;
  const fields = row.data === '{}' ? '' : `,${row.data.slice(1, -1)}`;
  return `${head}${fields}${proof ? `,"${PROOF_FIELD}":${text(proofOf(row))}` : ''}}`;
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

export function pageText(
  rows: readonly EventRow[],
  more: Record<string, unknown>,
  options: { proof: boolean },
): string {
  const rest = Object.entries(more).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{"events":[${rows.map((row) => wireText(row, options)).join(',')}]${rest.join('')}}`;
}
