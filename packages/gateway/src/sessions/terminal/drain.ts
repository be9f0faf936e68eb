/** What ends with this gateway, because it holds the shells: their people are told, and have the drain time to finish. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../std/log.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import type { SessionHost } from '../host/session-host.ts';
import type { Terminals } from './terminals.ts';

const LOOK_EVERY_MS = 100;
/** Of the drain time, for writing down how they ended. */
const KEPT_BACK_MS = 1_000;

interface DrainDeps {
  host: Pick<SessionHost, 'all'>;
  terminals: Pick<Terminals, 'get'>;
  drainMs: number;
  log: Log;
}

/** Resolves when nobody is in one any more, or the time is over. */
export async function drainTerminals({ host, terminals, drainMs, log }: DrainDeps): Promise<void> {
  const isAttended = ({ id, session, participants }: HostedSession) =>
    session.agent === undefined && participants.size > 0 && terminals.get(id) !== undefined;
  const attended = () => host.all().filter(isAttended);
  const ends = performance.now() + drainMs - KEPT_BACK_MS;
  const seconds = Math.round((drainMs - KEPT_BACK_MS) / 1000);
  if (seconds <= 0 || attended().length === 0) return;
  for (const { id } of attended())
    terminals.get(id)?.notice('ends_soon', `the gateway is closing: this session ends in ${seconds} s`);
  log.info({ sessions: attended().length, seconds }, 'waiting for terminals that end with this gateway');
  while (attended().length > 0 && performance.now() < ends) await sleep(LOOK_EVERY_MS);
}
