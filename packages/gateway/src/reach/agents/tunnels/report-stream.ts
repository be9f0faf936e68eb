/** Hears what a connected agent offers, for as long as it is connected. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPORT_BYTES, REPORT_TARGET, type ReportTaken } from '@gatehouse/contract/reach/agents/report';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import { messageOf } from '@gatehouse/tunnel/tunnel-error';
import type { Log } from '../../../platform/std/log.ts';
import { isStoreDown } from '../../../platform/storage/errors.ts';
import { type UnreadReport, unreadReport } from './check-report.ts';
import type { ReportPace } from './report-pace.ts';

/** A stream that ends early is opened again, later each time: an agent that cannot report is still of use to dial through. */
const REOPEN_MS = { first: 1_000, most: 60_000 };

export interface ReportDeps {
  tunnel: Pick<Tunnel, 'open'>;
  /** Takes one report in; throwing drops the stream, and the agent reports anew on the next. */
  take(report: UnreadReport): Promise<Omit<ReportTaken, 'type' | 'seq'>>;
  agentId: string;
  pace: ReportPace;
  log: Log;
  signal: AbortSignal;
}

/** Ends with its signal, and never throws. */
export async function hearReports(deps: ReportDeps): Promise<void> {
  const { tunnel, agentId, log, signal } = deps;
  for (let waitMs = REOPEN_MS.first; !signal.aborted; waitMs = Math.min(waitMs * 2, REOPEN_MS.most)) {
    let stream: Duplex | undefined;
    try {
      stream = await tunnel.open(REPORT_TARGET, { signal });
      stream.on('error', () => {});
      await hear(stream, deps);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ agentId, error: isStoreDown(error) ? error : messageOf(error) }, 'an agent cannot report');
    } finally {
      stream?.destroy();
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function hear(stream: Duplex, { take, agentId, pace, signal }: ReportDeps): Promise<void> {
  for (;;) {
    const waitMs = pace.waitMs(agentId);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false });
    const { value } = await readMessage(stream, unreadReport, { maxBytes: REPORT_BYTES, signal });
    // Before it is taken: one that breaks off meanwhile has cost as much.
    pace.taken(agentId, value.type === 'report' ? value.resources.length : 0);
    const answer = await take(value);
    await writeMessage(stream, { type: 'taken', seq: value.seq, ...answer } satisfies ReportTaken);
  }
}
