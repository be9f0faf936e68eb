/** The parts of enrolling an application: its form with each hop tried, or a new agent near it; the test, and the way in. */
import { appKind } from '@gatehouse/contract/kinds/app/app-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { AGENT_DOES, type FlowCode } from '../../../shared/enrolment/flow.ts';
import { toJoinToken } from '../../../shared/enrolment/join-token.ts';
import { keptDraft } from '../../../shared/enrolment/kept-parts.ts';
import { labelsOf } from '../../../shared/enrolment/label-pair.ts';
import { useJoinedThings } from '../../../shared/enrolment/use-joined-things.ts';
import { APPS, appQuery } from '../app-queries.ts';
import { EMPTY_DRAFT, withScheme } from '../form/app-draft.ts';
import { OpenCell } from '../open/open-cell.tsx';
import { DescribeApp } from './describe-app.tsx';

/** Who has come so far has read enough meanwhile for it to come. */
const TestApp = lazyPart(() => import('../panel/test-app.tsx').then((file) => file.TestApp));

export const appFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'add-app.way-entered',
      hint: 'add-app.way-entered-hint',
      may: (acl) => acl.appServers.create,
      steps: ['where', 'describe', 'test', 'done'],
    },
    {
      value: 'agent',
      label: 'add-app.way-agent',
      hint: 'add-app.way-agent-hint',
      may: (acl) => acl.tokens.create,
      steps: ['where', 'describe', 'run', 'test', 'done'],
    },
  ],
  Describe: DescribeApp,
  principals: 'discover.step-logins',
  joining: {
    words: 'add-app',
    make: async (api, kept) => {
      const draft = keptDraft(kept, EMPTY_DRAFT);
      const labels = labelsOf(draft.labels);
      const app = { name: draft.name.trim(), uri: withScheme(draft) };
      const body = { roles: [appKind.joinRole], labels, app };
      return toJoinToken(await api(joinTokenRoutes.create, { body }), labels);
    },
    command: ({ command }) => command,
    does: () => AGENT_DOES,
    forms: () => 'everywhere',
    useJoined: (clusterId, tokens) => useJoinedThings(APPS, ({ name }) => ({ id: name, name }), clusterId, tokens),
    isTheThing: true,
  },
  Test: TestOne,
  Open: OpenApp,
};

interface AppProps {
  clusterId: string;
  id: string;
}

function TestOne({ clusterId, id }: AppProps) {
  const details = useQuery(appQuery(useApi(), clusterId, id)).data;
  return (
    <Suspense fallback={<Spinner />}>
      {details ? <TestApp clusterId={clusterId} details={details} /> : <Spinner />}
    </Suspense>
  );
}

function OpenApp({ clusterId, id }: AppProps) {
  const details = useQuery(appQuery(useApi(), clusterId, id)).data;
  return details ? <OpenCell app={details.app} /> : null;
}
