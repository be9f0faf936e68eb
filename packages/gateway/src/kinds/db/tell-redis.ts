/** Tells the commands of a Redis session. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import type { SessionTeller } from './engine/redis/pass-on.ts';
import type { StatementTelling } from './tell-statements.ts';

export function tellRedis(telling: StatementTelling): SessionTeller {
  const { recorded } = telling;
  return {
    asked({ name, query }) {
      telling.hold(query);
      recorded.asked({ what: name, text: query });
    },
    answered(name, outcome, query, sample) {
      const number = recorded.next(outcome, sample);
      telling.answered({
        ...{ what: name, outcome, query, text: telling.release(), recorded: number },
        tell: (tell, about, known) => tell(dbQuery, { ...about, db_query: known, success: true }),
      });
    },
    malformed: telling.malformed,
    behind: telling.behind,
  };
}
