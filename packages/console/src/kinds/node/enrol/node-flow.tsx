/** The parts of enrolling a server: its labels, the command, the test as some login, and a terminal on it. */
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { AGENT_DOES, type FlowCode, type Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { toJoinToken } from '../../../shared/enrolment/join-token.ts';
import { keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { labelsOf } from '../../../shared/enrolment/label-pair.ts';
import { useJoinedThings } from '../../../shared/enrolment/use-joined-things.ts';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { useLoginMemory } from '../connect/login-memory.ts';
import { TestConnection } from '../panel/test-connection.tsx';
import { SERVERS, serverQuery } from '../server-queries.ts';
import { DescribeOpenSsh } from './describe-openssh.tsx';
import { DescribeServer } from './describe-server.tsx';
import { ManualJoin } from './manual-join.tsx';

const mayJoin: FlowCode['ways'][number]['may'] = (acl) => acl.tokens.create;
const steps = ['where', 'describe', 'run', 'principals', 'test', 'done'] as const;
const isOpenSsh = (kept: Kept) => kept.way === 'openssh';

export const nodeFlow: FlowCode = {
  ways: [
    {
      value: 'agent',
      label: 'add-server.way-agent',
      hint: 'add-server.way-agent-hint',
      may: mayJoin,
      steps,
    },
    {
      value: 'openssh',
      label: 'add-server.way-openssh',
      hint: 'add-server.way-openssh-hint',
      may: mayJoin,
      steps,
    },
    {
      value: 'address',
      label: 'discover.way-address',
      hint: 'add-server.way-address-hint',
      may: (acl) => acl.nodes.create,
      steps: ['where', 'describe', 'principals', 'test', 'done'],
    },
  ],
  Describe,
  useName: (clusterId, id) =>
    useQuery({ ...serverQuery(useApi(), clusterId, id ?? ''), enabled: id !== undefined }).data?.hostname,
  principals: 'discover.step-logins',
  joining: {
    words: 'add-server',
    make: async (api, kept, uses) => {
      const labels = labelsOf(keptTexts(kept, 'labels'));
      const body = { roles: [nodeKind.joinRole], labels, ...(uses === undefined ? {} : { uses }) };
      return toJoinToken(await api(joinTokenRoutes.create, { body }), labels);
    },
    command: (token, kept) => (isOpenSsh(kept) ? token.openSshCommand : token.command),
    does: (kept) => (isOpenSsh(kept) ? ['discover.does-sshd', 'discover.does-dry'] : AGENT_DOES),
    forms: (kept) => (isOpenSsh(kept) ? 'on-machines' : 'everywhere'),
    Manual: ManualJoin,
    useJoined: (clusterId, tokens) =>
      useJoinedThings(SERVERS, ({ id, hostname }) => ({ id, name: hostname }), clusterId, tokens),
    isTheThing: true,
  },
  Test: TestServer,
  Open: OpenServer,
};

function Describe() {
  return useFlow().way.value === 'address' ? <DescribeOpenSsh /> : <DescribeServer />;
}

interface ServerProps {
  clusterId: string;
  id: string;
}

function TestServer({ clusterId, id }: ServerProps) {
  const node = useQuery(serverQuery(useApi(), clusterId, id)).data;
  const [memory, remember] = useLoginMemory();
  // The last step offers to go in as who was just tried, where nobody was there before.
  const onPassed = (login: string) => memory[id] ?? remember(id, login);
  return node ? <TestConnection node={node} memory={memory} onPassed={onPassed} /> : <Spinner />;
}

function OpenServer({ clusterId, id }: ServerProps) {
  const node = useQuery(serverQuery(useApi(), clusterId, id)).data;
  const [memory, onConnect] = useLoginMemory();
  return node ? <ConnectCell node={node} connecting={{ memory, onConnect }} /> : null;
}
