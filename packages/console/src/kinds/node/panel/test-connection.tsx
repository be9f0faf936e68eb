/** Tries a connection to a server as some login. */
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { TextField } from '@gatehouse/design/text-field';
import Server from 'lucide-react/icons/server';
import { useId, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { ConnectionTest, type TriedConnection } from '../../../shared/connection-steps/connection-test.tsx';
import type { LoginMemory } from '../connect/login-memory.ts';
import { offeredLogins } from '../connect/logins.ts';

type Step = (typeof nodeKind.testSteps)[number];

interface TestConnectionProps {
  node: Node;
  memory: LoginMemory;
  /** Tried at once as this login, and as no other. */
  as?: string;
  onPassed?: (login: string) => void;
}

export function TestConnection({ node, memory, as, onPassed }: TestConnectionProps) {
  const t = useTranslate();
  const { userName } = useUser();
  const listId = useId();
  const offered = offeredLogins(node, memory, userName);
  const [login, setLogin] = useState(as ?? offered[0]?.login ?? '');
  const [isChecked, setChecked] = useState(false);

  const wanted = (): TriedConnection | undefined => {
    setChecked(true);
    const ssh_principal = login.trim();
    if (ssh_principal === '') return undefined;
    return {
      asked: { resource_kind: 'node', resource_name: node.id, ssh_principal },
      factor: { node: { node_name: node.id, login: ssh_principal } },
    };
  };
  const named = (step: Step) => ({ step, title: t(`server-panel.step-${step}`) });
  return (
    <ConnectionTest
      clusterId={node.siteId}
      steps={stepsOf(node).map(named)}
      lead={t('server-panel.test-lead')}
      wanted={wanted}
      fields={as === undefined ? 'one' : 'none'}
      target={{ name: node.hostname, at: node.addr, icon: Server, agent: dialler(node) }}
      onPassed={() => onPassed?.(login.trim())}
      isAtOnce={as !== undefined}
    >
      {as === undefined && (
        <>
          <TextField
            label={t('servers.login')}
            mono
            list={listId}
            value={login}
            onValueChange={setLogin}
            error={isChecked && login.trim() === '' ? t('server-panel.login-missing') : undefined}
          />
          <datalist id={listId}>
            {offered.map((each) => (
              <option key={each.login} value={each.login} />
            ))}
          </datalist>
        </>
      )}
    </ConnectionTest>
  );
}

/** An agent is on the machine itself: there is no port to dial and no SSH to speak. */
function stepsOf({ gatehouse }: Node): readonly Step[] {
  return gatehouse?.type === 'agent' ? ['access', 'reach', 'login'] : nodeKind.testSteps;
}

/** One that is on the machine itself stands for the machine. */
function dialler({ gatehouse }: Node): string | undefined {
  return gatehouse?.type === 'openssh' && gatehouse.agent !== '' ? gatehouse.agent : undefined;
}
