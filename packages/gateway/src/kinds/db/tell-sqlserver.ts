/** Tells what is asked of SQL Server: batches as statements, procedures as calls with what they are given. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import { sqlserverRpc } from '@gatehouse/contract/kinds/db/other-database-events';
import type { SessionTeller } from './engine/sqlserver/pass-on.ts';
import type { StatementTelling } from './tell-statements.ts';

export function tellSqlserver(telling: StatementTelling): SessionTeller {
  const { recorded } = telling;
  return {
    asked: ({ what, query, values }) => recorded.asked({ what, text: query, values: telling.shown(values) }),
    answered({ what, query, procedure, ...request }, outcome, sample) {
      const number = recorded.next(outcome, sample);
      const values = telling.shown(request.values);
      telling.answered({
        ...{
          what: `${what} ${procedure} ${values.join(' ')}`,
          outcome,
          query: query.text,
          text: query,
          recorded: number,
        },
        tell(tell, about, known) {
          if (what !== 'rpc') return tell(dbQuery, { ...about, db_query: known, success: true });
          const statement = known.slice(`EXEC ${procedure} `.length);
          const parameters = [...(statement === '' ? [] : [statement]), ...values];
          tell(sqlserverRpc, { ...about, proc_name: procedure, parameters });
        },
      });
    },
    malformed: telling.malformed,
    behind: telling.behind,
  };
}
