/** The parts of enrolling a Kubernetes cluster: the kubeconfig that is pasted, the test as oneself, and the way in. */
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import type { FlowCode } from '../../../shared/enrolment/flow.ts';
import { CommandsDialog } from '../connect/commands-dialog.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { kubeQuery } from '../kube-queries.ts';
import { TestKube } from '../panel/test-kube.tsx';
import { DescribeKube } from './describe-kube.tsx';

export const kubeFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'discover.way-kubeconfig',
      hint: 'discover.way-kubeconfig-hint',
      may: (acl) => acl.kubeServers.create,
      steps: ['describe', 'principals', 'test', 'done'],
    },
  ],
  Describe: DescribeKube,
  principals: 'discover.step-groups',
  Test: TestCluster,
  Open: OpenCluster,
};

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
