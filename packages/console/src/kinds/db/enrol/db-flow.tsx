/** The parts of enrolling a database: a new agent near it where none reaches it, its form with each hop tried, the test as some user, and the way in. */
import { usualDatabase } from '@gatehouse/contract/kinds/db/db-address';
import { dbKind } from '@gatehouse/contract/kinds/db/db-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { AGENT_DOES, type FlowCode } from '../../../shared/enrolment/flow.ts';
import { toJoinToken } from '../../../shared/enrolment/join-token.ts';
import { keptDraft, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { useJoinedThings } from '../../../shared/enrolment/use-joined-things.ts';
import { useChoiceMemory } from '../connect/choice-memory.ts';
import type { DbChoice } from '../connect/db-choices.ts';
import { DB_SERVICES, databaseQuery } from '../db-queries.ts';
import { EMPTY_DRAFT } from '../form/db-draft.ts';
import { TestDb } from '../panel/test-db.tsx';
import { AgentLabels } from './agent-labels.tsx';
import { DescribeDb } from './describe-db.tsx';

/** It stands on the last step alone: nobody waits for it before. */
const OpenDatabase = lazyPart(() => import('./open-database.tsx').then((file) => file.OpenDatabase));

export const dbFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'add-db.way-entered',
      hint: 'add-db.way-entered-hint',
      may: (acl) => acl.db.create,
      steps: ['where', 'describe', 'principals', 'test', 'done'],
    },
    {
      value: 'agent',
      label: 'add-db.way-agent',
      hint: 'add-db.way-agent-hint',
      may: (acl) => acl.tokens.create && acl.db.edit,
      steps: ['where', 'run', 'describe', 'principals', 'test', 'done'],
      More: AgentLabels,
      lacks: (kept) => {
        const pairs = keptTexts(kept, 'agentLabels');
        return pairs.length === 0 || wrongPair(pairs) !== undefined ? 'add-db.labels-missing' : undefined;
      },
    },
  ],
  Describe: DescribeDb,
  principals: 'discover.step-users',
  typedNames: (kept) => {
    const { protocol, dbUser, database } = keptDraft(kept, EMPTY_DRAFT);
    return { db_users: dbUser, db_names: usualDatabase(protocol, database) };
  },
  joining: {
    words: 'add-db',
    make: async (api, kept) => {
      const labels = labelsOf(keptTexts(kept, 'agentLabels'));
      const matchers = Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]));
      const body = { roles: [dbKind.joinRole], suggested_agent_matcher_labels: matchers };
      return toJoinToken(await api(joinTokenRoutes.create, { body }), labels);
    },
    command: ({ command }) => command,
    does: () => AGENT_DOES,
    forms: () => 'everywhere',
    useJoined: (clusterId, tokens) =>
      useJoinedThings(DB_SERVICES, ({ name }) => ({ id: name, name }), clusterId, tokens),
    isTheThing: false,
  },
  Test: TestDatabase,
  Open: OpenDatabase,
};

interface DbProps {
  clusterId: string;
  id: string;
}

function TestDatabase({ clusterId, id }: DbProps) {
  const details = useQuery(databaseQuery(useApi(), clusterId, id)).data;
  const [last, remember] = useChoiceMemory(id);
  // The last step offers to go in as who was just tried, where nobody was there before.
  const onPassed = (choice: DbChoice) => last ?? remember(choice);
  return details ? <TestDb clusterId={clusterId} details={details} onPassed={onPassed} /> : <Spinner />;
}
