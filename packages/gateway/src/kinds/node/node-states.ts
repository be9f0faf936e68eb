/** Whether servers with plain OpenSSH answered when they were last tried: by a session, a test, or a look from time to time. */
import type { NodeStatus } from '@gatehouse/contract/kinds/node/nodes';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface NodeStates {
  answered(id: string): void;
  /** Only what is about the network counts: a server that refuses somebody is there. */
  failed(id: string, error: unknown): void;
}

interface StateDeps {
  db: Db;
  clusterName: string;
  log: Log;
  now: () => number;
}

const MAX_WHY_LENGTH = 300;

export function createNodeStates({ db, clusterName: cluster, log, now }: StateDeps): NodeStates {
  const note = (id: string, state: Exclude<NodeStatus, 'unknown'>, why: string) => {
    const row = { cluster, id, state, checked: now(), why: why.slice(0, MAX_WHY_LENGTH) };
    db.insertInto('node_state')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['cluster', 'id']).doUpdateSet({ state: row.state, checked: row.checked, why: row.why }),
      )
      .execute()
      // Nobody waits for it, and a session must not fail by it.
      .catch((error: unknown) => log.debug({ error }, 'whether a server answered could not be kept'));
  };
  return {
    answered: (id) => note(id, 'online', ''),
    failed(id, error) {
      if (error instanceof AppError && error.code === 'target_unreachable') note(id, 'unreachable', error.message);
    },
  };
}
