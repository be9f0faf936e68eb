/** What ends with this gateway, because it holds the shells and carries the files: their people have the drain time to finish. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileSessions } from '../kinds/node/files/file-sessions.ts';
import type { Drain } from '../platform/std/drain.ts';
import type { Log } from '../platform/std/log.ts';
import type { HostedSession } from '../sessions/host/hosted-session.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import type { Terminals } from '../sessions/terminal/terminals.ts';

const LOOK_EVERY_MS = 100;

export interface PeopleDeps {
  host: Pick<SessionHost, 'all'>;
  terminals: Pick<Terminals, 'get'>;
  files: Pick<FileSessions, 'underWay'>;
  drain: Drain;
  log: Log;
}

/** Resolves when nobody is in a terminal and no file is under way any more, or the time is over. */
export async function waitForPeople({ host, terminals, files, drain, log }: PeopleDeps): Promise<void> {
  const isAttended = ({ id, session, participants }: HostedSession) =>
    session.agent === undefined && participants.size > 0 && terminals.get(id) !== undefined;
  const attended = () => host.all().filter(isAttended);
  const isBusy = () => attended().length > 0 || files.underWay() > 0;
  const seconds = Math.round(drain.peopleMs() / 1000);
  if (seconds <= 0 || !isBusy()) return;
  for (const { id } of attended())
    terminals.get(id)?.notice('ends_soon', `the gateway is closing: this session ends in ${seconds} s`);
  const counts = { sessions: attended().length, transfers: files.underWay() };
  log.info({ ...counts, seconds }, 'waiting for terminals and files that end with this gateway');
  while (isBusy() && drain.peopleMs() > 0) await sleep(LOOK_EVERY_MS);
}
