/** Tells the log of a statement that the workbench held back: nothing of it reached the database, which would have told of it. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { dbQueryFailed } from '@gatehouse/contract/kinds/db/db-events';
import type { KeptStatement } from '@gatehouse/contract/kinds/db/editor';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Log } from '../../../platform/std/log.ts';
import { contextOf } from '../../../sessions/host/about-session.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { maskSecrets } from '../engine/mask-secrets.ts';
import { TOLD_CHARACTERS } from '../engine/statement.ts';
import { quotingOf } from '../quoting-of.ts';
import { dbSessionFields } from '../session-audit.ts';

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
  const { text } = maskSecrets(sql, quotingOf(protocol));
  const told = { db_query: text.slice(0, TOLD_CHARACTERS), success: false, error: error ?? '' };
  events
    .write(dbQueryFailed, { ...dbSessionFields(session), ...told }, contextOf(session), 'soon')
    .catch((cause: unknown) =>
      log.error({ error: cause, session: session.id }, 'a refused statement could not be told'),
    );
}
