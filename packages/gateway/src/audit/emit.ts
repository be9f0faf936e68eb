/** Writes audit events: in the transaction of the change they tell of, chained by hash to the event before. */
import { randomUUID } from 'node:crypto';
import { type EventType, subjectOf, userOf } from '@gatehouse/contract/audit/define-event';
import type { z } from 'zod';
import { readJson } from '../storage/json.ts';
import type { Tx } from '../storage/tables.ts';
import { canonicalJson } from './canonical-json.ts';
import { eventHash, FIRST_HASH } from './chain.ts';

export interface Audit {
  /** Call it last in the transaction: the chain's end stays locked until the commit. */
  emit<Fields extends z.ZodRawShape>(
    tx: Tx,
    type: EventType<Fields>,
    fields: z.input<z.ZodObject<Fields>>,
    context?: EventContext,
  ): Promise<void>;
}

/** What an event stands on, for searching and for what was done under one sign-in. */
export interface EventContext {
  signInId?: string;
  sessionId?: string;
  address?: string;
}

export interface AuditDeps {
  now: () => number;
  clusterName: string;
  /** Names this gateway's chain. */
  chain: string;
}

/** One process is one chain; several gateways on one store name theirs apart. */
export const GATEWAY_CHAIN = 'gateway';

export function createAudit({ now, clusterName, chain }: AuditDeps): Audit {
  return {
    async emit(tx, type, given, context = {}) {
      // Through the schema: a field nobody declared, and so nobody checked for secrets, is dropped here.
      const fields: Record<string, unknown> = type.fields.parse(given);
      const subject = subjectOf(type, fields);
      const end = await takeEnd(tx, chain);
      const data = canonicalJson(fields);
      const row = {
        uid: randomUUID(),
        time: now(),
        event: type.event,
        code: type.code,
        severity: type.severity,
        user: userOf(fields),
        sign_in: context.signInId ?? '',
        session: context.sessionId ?? text(fields.sid),
        resource_kind: subject.kind,
        resource_name: subject.name,
        address: context.address ?? text(fields['addr.remote']),
        cluster: clusterName,
        chain,
        chain_index: end.length,
        prev_hash: end.hash,
      };
      const hash = eventHash({ ...row, data: readJson(data) });
      await tx
        .insertInto('event')
        .values({ ...row, data, hash })
        .execute();
      await tx.updateTable('event_chain').set({ hash }).where('chain', '=', chain).execute();
    },
  };
}

/** Adds one to the chain and gives its last hash. The row stays locked until the commit, so nobody else has this place. */
async function takeEnd(tx: Tx, chain: string): Promise<{ length: number; hash: string }> {
  const take = () =>
    tx
      .updateTable('event_chain')
      .set((eb) => ({ length: eb('length', '+', 1) }))
      .where('chain', '=', chain)
      .returning(['length', 'hash'])
      .executeTakeFirst();
  const end = await take();
  if (end) return end;
  await tx
    .insertInto('event_chain')
    .values({ chain, length: 0, hash: FIRST_HASH })
    .onConflict((conflict) => conflict.column('chain').doNothing())
    .execute();
  return (await take())!;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
