/** The parts of enrolling a Kubernetes cluster: the kubeconfig that is pasted or the agents that are put into it, the test as oneself, and the way in. */
import { kubeKind } from '@gatehouse/contract/kinds/kube/kube-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import type { FlowCode, Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { type JoinToken, toJoinToken } from '../../../shared/enrolment/join-token.ts';
import { keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { labelsOf } from '../../../shared/enrolment/label-pair.ts';
import { useJoinedThings } from '../../../shared/enrolment/use-joined-things.ts';
import { CommandsDialog } from '../connect/commands-dialog.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { KUBE_CLUSTERS, kubeQuery } from '../kube-queries.ts';
import { TestKube } from '../panel/test-kube.tsx';
import { DescribeAgents, groupsOf } from './describe-agents.tsx';
import { DescribeKube } from './describe-kube.tsx';

export const kubeFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'discover.way-kubeconfig',
      hint: 'discover.way-kubeconfig-hint',
      may: (acl) => acl.kubeServers.create,
      steps: ['where', 'describe', 'principals', 'test', 'done'],
    },
    {
      value: 'agents',
      label: 'add-kube.way-agents',
      hint: 'add-kube.way-agents-hint',
      may: (acl) => acl.tokens.create,
      steps: ['where', 'describe', 'run', 'principals', 'test', 'done'],
    },
  ],
  Describe,
  principals: 'discover.step-groups',
  joining: {
    words: 'add-kube',
    make: async (api, kept) => {
      const labels = labelsOf(keptTexts(kept, 'labels'));
      const body = { roles: [kubeKind.joinRole], labels, offers: { kubernetes: [keptText(kept, 'clusterName')] } };
      return toJoinToken(await api(joinTokenRoutes.create, { body }), labels);
    },
    command: applyCommand,
    lead: 'add-kube.run-lead',
    does: () => ['add-kube.does-rights', 'add-kube.does-again', 'add-kube.does-read'],
    forms: () => 'none',
    useJoined: (clusterId, tokens) =>
      useJoinedThings(KUBE_CLUSTERS, ({ name }) => ({ id: name, name }), clusterId, tokens),
    isTheThing: true,
  },
  Test: TestCluster,
  Open: OpenCluster,
};

function Describe() {
  return useFlow().way.value === 'agents' ? <DescribeAgents /> : <DescribeKube />;
}

/** Nothing of the manifest is shown here: it holds the token, and is as long as the page. */
function applyCommand({ fetch }: JoinToken, kept: Kept): string {
  const query = new URLSearchParams({ name: keptText(kept, 'clusterName'), groups: groupsOf(kept).join(',') });
  return `${fetch?.command} '${fetch?.address}/kube-agent.yaml?${query}' | kubectl apply -f -`;
}

interface KubeProps {
  clusterId: string;
  id: string;
}

function TestCluster({ clusterId, id }: KubeProps) {
  const details = useQuery(kubeQuery(useApi(), clusterId, id)).data;
  return details ? <TestKube clusterId={clusterId} details={details} /> : <Spinner />;
}

function OpenCluster({ clusterId, id }: KubeProps) {
  const details = useQuery(kubeQuery(useApi(), clusterId, id)).data;
  const [shown, setShown] = useState(false);
  if (!details) return null;
  return (
    <>
      <ConnectCell clusterId={clusterId} cluster={details.item} onCommands={() => setShown(true)} />
      {shown && <CommandsDialog name={id} onClose={() => setShown(false)} />}
    </>
  );
}
