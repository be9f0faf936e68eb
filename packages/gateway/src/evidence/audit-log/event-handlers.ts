/** Answers the calls of the audit log. Whoever may not list events gets nothing by any of them. */
import { auditVerified, auditVerifyFailed } from '@gatehouse/contract/audit/audit-log-events';
import type { AuditState, eventRoutes } from '@gatehouse/contract/audit/search';
import type { AccessControl } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { readyReply } from '../../platform/http/ready-reply.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { newestCheckpoint } from './checkpoint-store.ts';
import type { LogNews } from './log-news.ts';
import { type EventFilter, NO_FILTER, rangeOf, readPlaceKey } from './search/find-query.ts';
import { chainEnds, reachedKey, readReachedKey } from './search/follow-events.ts';
import type { LogReader } from './search/open-log-reader.ts';
import { SESSION_ENDS, visibleSessions } from './session-events.ts';
import type { SignedMemory } from './signed-memory.ts';
import type { ClusterSigner } from './signing.ts';
import { readVerifyKey } from './verify-log.ts';

export interface EventHandlerDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  reader: LogReader;
  news: LogNews;
  signer: Pick<ClusterSigner, 'publicKey' | 'earlierKeys'>;
  memory: Pick<SignedMemory, 'last'>;
  state(): Promise<AuditState>;
  now: () => number;
}

type Routes = typeof eventRoutes;

export function eventHandlers(deps: EventHandlerDeps): Handlers<Routes> {
  const { db, access, audit, reader, news, signer, now } = deps;
  // A rule with a condition names some events only, and no search is narrowed to those: it does not open the log.
  const requireList = (actor: Actor) => access.require(actor, { type: 'verb', resource: 'event', verb: 'list' });

  return {
    async search({ actor, query }) {
      requireList(actor);
      const { limit, order, proof } = query;
      const after = readPlaceKey(query.startKey);
      const found = { ...rangeOf(query, now()), filter: filterOf(query), limit, order, after, proof };
      return readyReply<Routes['search']>(await reader.search(found));
    },

    async searchSessions({ caller, query }) {
      const { limit, order } = query;
      const filter = { ...NO_FILTER, include: [...SESSION_ENDS] };
      const after = readPlaceKey(query.startKey);
      const found = { ...rangeOf(query, now()), filter, limit, order, after };
      return await visibleSessions({ db, access, reader, actor: () => caller.now() }, found);
    },

    async counts({ actor, query }) {
      requireList(actor);
      return await reader.counts({ ...rangeOf(query, now()), filter: filterOf(query), buckets: query.buckets });
    },

    async tail({ actor, caller, query: { after: key, limit, waitSeconds, ...rest } }) {
      requireList(actor);
      if (key === undefined) return { events: [], after: reachedKey(await chainEnds(db)), more: false };
      let after = readReachedKey(key);
      const until = performance.now() + waitSeconds * 1000;
      for (;;) {
        const found = await reader.follow({ after, filter: filterOf(rest), limit });
        const left = until - performance.now();
        if (found.events > 0 || found.more || left <= 0) return readyReply<Routes['tail']>(found.bytes);
        after = found.after;
        await news.wait(after, left);
        // What they may see can have changed while they waited.
        requireList(await caller.now());
        if (news.closed) return { events: [], after: reachedKey(after), more: false };
      }
    },

    async verify({ actor, query, exchange }) {
      requireList(actor);
      const publicKey = [signer.publicKey, ...signer.earlierKeys].join('\n');
      const to = query.to ?? now();
      const verdict = await reader.verify({
        from: query.from,
        to,
        publicKey,
        remembered: deps.memory.last()?.text,
        now: now(),
        after: readVerifyKey(query.startKey),
      });
      const { problem } = verdict;
      if (problem) {
        const { chain, index, reason } = problem;
        const found = { chain, first: index, last: index, broken_at: index, error: reason };
        const fields = { user: actor.username, 'addr.remote': exchange.address, ...found };
        await db.transaction().execute((tx) => audit.emit(tx, auditVerifyFailed, fields, { signInId: actor.signInId }));
      }
      if (verdict.ok && verdict.startKey === '') {
        const range = { ...(query.from !== undefined && { from: iso(query.from) }), to: iso(to) };
        const checkpoint = verdict.checkpoint && { checkpoint: verdict.checkpoint.number };
        const fields = { user: actor.username, 'addr.remote': exchange.address, ...range, ...checkpoint };
        await db.transaction().execute((tx) => audit.emit(tx, auditVerified, fields, { signInId: actor.signInId }));
        // The one just written is newer too.
        return { ...verdict, newer: (verdict.newer ?? 0) + 1 };
      }
      return verdict;
    },

    async key({ actor }) {
      requireList(actor);
      const { publicKey, earlierKeys } = signer;
      return { publicKey, earlierKeys: [...earlierKeys], checkpoint: (await newestCheckpoint(db)) ?? null };
    },

    async state({ actor }) {
      requireList(actor);
      return await deps.state();
    },
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function filterOf(query: EventFilter): EventFilter {
  const { include, code, severity, user, resourceKind, resourceName, session, address, signIn, requestId, search } =
    query;
  return { include, code, severity, user, resourceKind, resourceName, session, address, signIn, requestId, search };
}
