/** Tells the log of a statement that the workbench held back: nothing of it reached the database, which would have told of it. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { dbQueryFailed } from '@gatehouse/contract/kinds/db/db-events';
import type { KeptStatement } from '@gatehouse/contract/kinds/db/editor';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Log } from '../../../platform/std/log.ts';
import { contextOf } from '../../../sessions/host/about-session.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { maskSecrets } from '../engine/mask-secrets.ts';
import { dbSessionFields } from '../session-audit.ts';

const MAX_EVENT_CHARACTERS = 8_192;

interface HeldBackDeps {
  events: Pick<EventStream, 'write'>;
  log: Log;
}

export function tellHeldBack(
  { events, log }: HeldBackDeps,
  session: Session,
  protocol: DbProtocol,
  { sql, error }: KeptStatement,
): void {
  const isMysql = protocol === 'mysql';
  const { text } = maskSecrets(sql, { isMysql, backslashes: isMysql, isTsql: protocol === 'sqlserver' });
  const told = { db_query: text.slice(0, MAX_EVENT_CHARACTERS), success: false, error: error ?? '' };
  events
    .write(dbQueryFailed, { ...dbSessionFields(session), ...told }, contextOf(session), 'soon')
    .catch((cause: unknown) =>
      log.error({ error: cause, session: session.id }, 'a refused statement could not be told'),
    );
}
