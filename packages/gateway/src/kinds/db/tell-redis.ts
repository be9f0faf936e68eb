/** Tells the commands of a Redis session. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import type { SessionTeller } from './engine/redis/pass-on.ts';
import type { StatementTelling } from './tell-statements.ts';

export function tellRedis(telling: StatementTelling): SessionTeller {
  return {
    asked: ({ query }) => telling.hold(query),
    answered: (name, outcome, query) =>
      telling.answered({
        ...{ what: name, outcome, query, text: telling.release() },
        tell: (tell, about, known) => tell(dbQuery, { ...about, db_query: known, success: true }),
      }),
    malformed: telling.malformed,
    behind: telling.behind,
  };
}
