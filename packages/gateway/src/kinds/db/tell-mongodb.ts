/** Tells the commands of a MongoDB session. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import type { SessionTeller } from './engine/mongodb/pass-on.ts';
import type { StatementTelling } from './tell-statements.ts';

export function tellMongodb(telling: StatementTelling): SessionTeller {
  return {
    answered: (command, outcome, query) =>
      telling.answered({
        ...{ what: command, outcome, query: query.text, text: query },
        tell: (tell, about, known) => tell(dbQuery, { ...about, db_query: known, success: true }),
      }),
    malformed: telling.malformed,
  };
}
