/** Which databases an agent says it looks after, held against its token. */
import { type DatabaseMatch, databaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import { MATCHED_ROW } from '@gatehouse/contract/kinds/kinds';
import type { Agent } from '../registry/agent-store.ts';
import type { RefusedOffer } from './check-report.ts';

export interface CheckedMatch {
  match: DatabaseMatch;
  refused: RefusedOffer[];
}

const { kind, noun, joinRole } = MATCHED_ROW;

/** What its token does not let it look after is left out again wherever a database is dialled: here it is only told. */
export function checkMatch(agent: Pick<Agent, 'roles' | 'matcherLabels'>, said: unknown): CheckedMatch {
  const { data: match } = databaseMatch.safeParse(said ?? []);
  const refuse = (reason: string): CheckedMatch => ({
    match: [],
    refused: [{ kind, name: 'databaseMatch', reason }],
  });
  if (!match) return refuse('it is malformed: labels, each with the values that match');
  if (match.length === 0) return { match, refused: [] };
  if (!agent.roles.includes(joinRole))
    return refuse(`the token this agent joined with does not let it look after ${noun}s`);
  if (Object.keys(agent.matcherLabels).length === 0)
    return refuse(
      `the token this agent joined with names no labels of ${noun}s: make one with gatehouse tokens add --type=${kind} --match env=prod`,
    );
  return { match, refused: [] };
}
