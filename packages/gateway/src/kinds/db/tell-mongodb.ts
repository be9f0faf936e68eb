/** Tells the commands of a MongoDB session. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import type { SessionTeller } from './engine/mongodb/pass-on.ts';
import type { StatementTelling } from './tell-statements.ts';

export function tellMongodb(telling: StatementTelling): SessionTeller {
  const { recorded } = telling;
  return {
    asked: (command, query) => recorded.askedByItself({ what: command, text: query }),
    answered(command, outcome, query, asked, sample) {
      const number =
        asked > 0
          ? recorded.answered(asked, outcome, sample)
          : recorded.failed({ what: command, text: query }, outcome);
      telling.answered({
        ...{ what: command, outcome, query: query.text, text: query, recorded: number },
        tell: (tell, about, known) => tell(dbQuery, { ...about, db_query: known, success: true }),
      });
    },
    malformed: telling.malformed,
    behind: telling.behind,
  };
}
