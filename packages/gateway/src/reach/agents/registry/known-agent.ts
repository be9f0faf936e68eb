/** The agents that somebody names as ways to a server or an application: one they may not see is not there for them. */

import type { AccessControl } from '../../../access/create-access.ts';
import { mayReach } from '../../../access/reach.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findAgent } from './agent-store.ts';

export interface KnownAgentDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

/** Its id. Those that are a way already may stay one, whoever saves the rest. */
export async function knownAgentId(
  { db, access, clusterName }: KnownAgentDeps,
  actor: Actor,
  idOrName: string,
  before: readonly string[] = [],
): Promise<string> {
  const agent = await findAgent(db, clusterName, idOrName);
  if (agent && (before.includes(agent.id) || mayReach(access, actor, 'list', 'token', agent.name))) return agent.id;
  throw notFound('agent', idOrName);
}

/** Of all of those that are named. */
export function knownAgentIds(
  deps: KnownAgentDeps,
  actor: Actor,
  idsOrNames: readonly string[],
  before: readonly string[] = [],
): Promise<string[]> {
  return Promise.all(idsOrNames.map((idOrName) => knownAgentId(deps, actor, idOrName, before)));
}
