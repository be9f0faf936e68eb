/** Writes audit events: in the transaction of the change they tell of, chained by hash to the event before. */
import type { EventType } from '@gatehouse/contract/events/define-event';
import type { z } from 'zod';
import type { Tx } from '../storage/tables.ts';
import { type LastWriter, writeLast } from '../storage/write-last.ts';
import { appendEvents } from './append-events.ts';
import { draftEvent, type EventContext, type EventDraft } from './event-draft.ts';

export interface Audit {
  /** Call it last in the transaction: the chain's end stays locked until the commit. */
  emit<Fields extends z.ZodRawShape>(
    tx: Tx,
    type: EventType<Fields>,
    fields: z.input<z.ZodObject<Fields>>,
    context?: EventContext,
  ): Promise<void>;
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
  const events: LastWriter<EventDraft> = {
    order: 2,
    write: (tx, drafts, along) => appendEvents(tx, { chain, along }, drafts),
  };
  return {
    async emit(tx, type, fields, context = {}) {
      const draft = draftEvent(type as unknown as EventType, fields, context, { clusterName, time: now() });
      await writeLast(tx, events, [draft]);
    },
  };
}
