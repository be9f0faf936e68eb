/** Looks a few times a day at databases whose certificates end soon: one that was renewed is not warned of any more, also where nobody connects. */
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Reach } from '../../reach/reach.ts';
import { type EndingDeps, endingDbs } from './db-alerts.ts';
import type { DbStates } from './db-states.ts';
import type { DbTlsProofs } from './dial-db.ts';
import { readDb } from './listed-db.ts';
import { tryDb } from './try-db.ts';

export interface LookDeps extends EndingDeps, DbTlsProofs {
  reach: Pick<Reach, 'way'>;
  states: DbStates;
  log: Log;
}

/** Nobody signs in, and MySQL takes no more than a hundred such connections in a row: two weeks of them are fewer. */
const EVERY_MS = 6 * 3_600_000;
const TIMEOUT_MS = 10_000;

export function startCertificateLooks({ isOn, ...deps }: LookDeps & { isOn: boolean }): { close(): void } {
  if (!isOn) return { close() {} };
  const closing = new AbortController();
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    await lookAtCertificates(deps, closing.signal).catch((error: unknown) =>
      deps.log.debug({ error }, 'certificates of databases are not looked at'),
    );
    isLooking = false;
  }, EVERY_MS).unref();
  return {
    close() {
      clearInterval(timer);
      closing.abort();
    },
  };
}

/** One after the other: there are few, and nobody waits. */
export async function lookAtCertificates(deps: LookDeps, signal: AbortSignal): Promise<void> {
  for (const { listed } of await endingDbs(deps)) {
    if (signal.aborted) return;
    const db = await readDb(deps.db, { cluster: deps.clusterName, name: listed.resource.id });
    if (!db) continue;
    const tried = tryDb(deps.reach, {
      ...{ proofs: deps, states: deps.states, db, dbUser: '', dbName: '', setPassword: '' },
      who: { user: 'gatehouse', session: 'check' },
      ...{ timeoutMs: TIMEOUT_MS, signal },
      terms() {
        throw new AppError('conflict', 'nobody signs in');
      },
    });
    try {
      await tried.reach();
      await tried.tcp();
      await tried.tls();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    } finally {
      tried.close();
    }
  }
}
