/** Tells a gateway what this agent offers: at once, whenever it changes, and now and then that it is still so. */

import type { Duplex } from 'node:stream';
import type { DatabaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import {
  type AgentReport,
  type ReportedResource,
  type ReportTaken,
  reportTaken,
  TAKEN_BYTES,
} from '@gatehouse/contract/reach/agents/report';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import type { AgentLog } from '../runtime/log.ts';

/** Several labels that change together are one report. */
const TOGETHER_MS = 250;
const ANSWER_MS = 60_000;

export interface Offers {
  current(): readonly ReportedResource[];
  /** Which databases that are entered at the gateway this agent looks after. */
  databaseMatch(): DatabaseMatch;
  /** Calls back after each change; returns what ends that. */
  onChange(listener: () => void): () => void;
}

export interface ServeReportOptions {
  stream: Duplex;
  offers: Offers;
  log: AgentLog;
  /** Ends it. */
  signal?: AbortSignal;
  togetherMs?: number;
}

/** Ends when the stream does; never throws. */
export async function serveReport({
  stream,
  offers,
  log,
  signal,
  togetherMs = TOGETHER_MS,
}: ServeReportOptions): Promise<void> {
  stream.on('error', () => {});
  const stay = whenAborted(signal, () => void stream.destroy());
  let changed = true;
  let wake = () => {};
  const forget = offers.onChange(() => {
    changed = true;
    wake();
  });
  const told = new Set<string>();
  try {
    for (let seq = 1; ; seq++) {
      const report: AgentReport = changed
        ? { type: 'report', seq, resources: [...offers.current()], databaseMatch: offers.databaseMatch() }
        : { type: 'alive', seq };
      changed = false;
      await writeMessage(stream, report);
      const { nextMs, refused } = await answerTo(stream, seq);
      tellRefused(refused, told, log);
      await untilDue(nextMs);
    }
  } catch (error) {
    log.debug({ reason: errorMessage(error) }, 'reporting ended');
  } finally {
    forget();
    stay();
    stream.destroy();
  }

  /** A change hurries the next report. The gateway's own end of the stream is noticed by the next write or read. */
  async function untilDue(nextMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, changed ? togetherMs : nextMs);
      const finish = () => {
        clearTimeout(timer);
        stream.off('close', finish);
        resolve();
      };
      stream.once('close', finish);
      wake = () => {
        clearTimeout(timer);
        timer = setTimeout(finish, togetherMs);
        wake = () => {};
      };
    });
    wake = () => {};
  }
}

async function answerTo(stream: Duplex, seq: number): Promise<ReportTaken> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const { value } = await readMessage(stream, reportTaken, { maxBytes: TAKEN_BYTES, signal });
  if (value.seq !== seq) throw new Error(`the gateway answered report ${value.seq}, not ${seq}`);
  return value;
}

/** Once for each reason: a gateway says it again at every report. */
function tellRefused(refused: ReportTaken['refused'], told: Set<string>, log: AgentLog): void {
  const now = new Set(refused.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`));
  for (const { kind, name, reason } of refused) {
    if (!told.has(`${kind} ${name}: ${reason}`))
      log.warn({ kind, name, reason }, 'the gateway refused what this agent offers');
  }
  told.clear();
  for (const each of now) told.add(each);
}
