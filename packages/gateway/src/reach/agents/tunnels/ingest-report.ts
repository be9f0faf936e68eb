/** Takes an agent's reports into the inventory, and tells it and the audit what was refused. */

import { factsOf, isKind, type Kind } from '@gatehouse/contract/kinds/kinds';
import { offerRefused } from '@gatehouse/contract/kinds/node/server-events';
import type { ReportTaken } from '@gatehouse/contract/reach/agents/report';
import { JOIN_ROLES } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { Announcer } from '../../../inventory/announce.ts';
import type { NewResource } from '../../../inventory/resource-store.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import { randomFraction } from '../../../platform/std/random-fraction.ts';
import { createOncePer, createThrottle } from '../../../platform/std/throttle.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { noteOffers, type Offers } from '../join-tokens/join-attempt-store.ts';
import { patternsIn } from '../join-tokens/may-offer.ts';
import { isPlainName, tokenLine } from '../join-tokens/token-line.ts';
import { type Agent, noteDatabaseMatch } from '../registry/agent-store.ts';
import { checkMatch } from './check-match.ts';
import { checkReport, type RefusedOffer, type UnreadReport } from './check-report.ts';
import { type OfferedKinds, offeredKind } from './offered-kind.ts';

const PERIOD_MS = 60_000;
/** Agents that connected in the same second must not report in the same second ever after. */
const JITTER = 0.2;
const REPEAT_REFUSAL_MS = 86_400_000;
/** What one answer names, and what one agent can write into the audit in a day. */
const MAX_NAMED = 100;
const MAX_AUDITED = 50;

export interface IngestReportDeps {
  db: Db;
  audit: Audit;
  announcer: Pick<Announcer, 'report' | 'alive'>;
  kinds: OfferedKinds;
  now: () => number;
  random?: () => number;
}

type Answer = Omit<ReportTaken, 'type' | 'seq'>;
export type IngestReport = (from: { agent: Agent; address: string }) => (report: UnreadReport) => Promise<Answer>;

export function createIngestReport({
  db,
  audit,
  announcer,
  kinds,
  now,
  random = randomFraction,
}: IngestReportDeps): IngestReport {
  const firstTime = createOncePer(REPEAT_REFUSAL_MS, now);
  const mayWrite = createThrottle(MAX_AUDITED, REPEAT_REFUSAL_MS, now);
  const nextMs = () => Math.round(PERIOD_MS * (1 + JITTER * (random() - 0.5)));

  const sealed = (offered: NewResource) => offeredKind(kinds, offered.kind).seal?.(offered) ?? offered;

  async function tell(agent: Agent, address: string, refused: readonly RefusedOffer[]): Promise<void> {
    const news = refused
      .filter(({ kind, name, reason }) => firstTime(JSON.stringify([agent.id, kind, name, reason])))
      .filter(() => mayWrite(agent.id));
    if (news.length === 0) return;
    await db.transaction().execute(async (tx) => {
      for (const { kind, name, reason } of news) {
        await audit.emit(tx, offerRefused, {
          host_id: agent.id,
          node_name: agent.name,
          resource_kind: kind,
          resource_name: name,
          reason,
          'addr.remote': address,
        });
      }
    });
  }

  return ({ agent, address }) =>
    async (report) => {
      if (report.type === 'alive') {
        if (!(await announcer.alive(agent.id))) throw new Error('nothing is known of it: it must report anew');
        return { nextMs: nextMs(), refused: [] };
      }
      const { taken, refused } = checkReport(agent, report.resources, kinds);
      const looksAfter = checkMatch(agent, report.databaseMatch);
      await noteDatabaseMatch(db, agent.id, looksAfter.match);
      const later = await announcer.report(agent.id, taken.map(sealed));
      const all = [...refused, ...looksAfter.refused, ...later.refused];
      await tell(agent, address, all);
      await noteOffers(db, agent.id, offersOf(agent, taken, all), now());
      return { nextMs: nextMs(), refused: all.slice(0, MAX_NAMED) };
    };
}

/** For who waits for the agent: what it brought, and what of it was not let in. */
function offersOf({ roles, offers }: Agent, taken: readonly NewResource[], refused: readonly RefusedOffer[]): Offers {
  const isRefused = new Set(refused.map(({ kind, name }) => `${kind} ${name}`));
  const kept = taken.filter(({ kind, name }) => !isRefused.has(`${kind} ${name}`));
  const given = roles.map((role) => JOIN_ROLES[role]);
  // With what it may offer already: an agent that joins again has what its new token gives.
  const lineFor = (lacked: Kind) =>
    tokenLine([...given, lacked], (kind) => [
      ...(patternsIn(offers, factsOf(kind).path) ?? []),
      ...refused.flatMap((each) => (kind === lacked && each.kind === kind && isPlainName(each.name) ? each.name : [])),
    ]);
  return {
    count: kept.length,
    taken: kept.map(({ kind, name }) => ({ kind, name })),
    notTaken: refused.map(({ kind, name, reason }) => ({
      ...{ kind, name, reason },
      ...(isKind(kind) && !given.includes(kind) ? { next: lineFor(kind) } : {}),
    })),
  };
}
