/** Connect, with the login somebody would take anyway, and an arrow for the others. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { SplitArrow, SplitButton, SplitLink } from '@gatehouse/design/split-button';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { OnDemand } from '../../../shared/resource-list/on-demand.tsx';
import styles from '../servers.module.css';
import { connectPath, NEW_TAB } from './connect-search-params.ts';
import type { LoginMemory } from './login-memory.ts';
import { LoginMenu } from './login-menu.tsx';
import { offeredLogins, usualLogin } from './logins.ts';
import { NoLogin } from './no-login.tsx';

export interface Connecting {
  memory: LoginMemory;
  onConnect: (serverId: string, login: string) => void;
  /** Opens what can be tried about a server. */
  onTest?: (node: Node) => void;
}

export function ConnectCell({ node, connecting }: { node: Node; connecting: Connecting }) {
  const t = useTranslate();
  const { userName } = useUser();
  const [isOpen, setOpen] = useState(false);
  const server = node.hostname;
  const { memory, onConnect, onTest } = connecting;
  if (offeredLogins(node, memory, userName).length === 0) {
    return (
      <OnDemand
        label={t('servers.no-login-title', { server })}
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={
          <Button size="small" tone="ghost" data-row-action="" className={styles.none}>
            {t('servers.no-login')}
          </Button>
        }
      >
        <NoLogin node={node} onAsk={() => setOpen(false)} />
      </OnDemand>
    );
  }
  const usual = usualLogin(node, memory, userName);
  const more = (
    <OnDemand
      label={t('servers.choose-login', { server })}
      isOpen={isOpen}
      onOpenChange={setOpen}
      className={styles.menu}
      trigger={<SplitArrow label={t('servers.choose-login', { server })} data-row-choice="" />}
    >
      <LoginMenu
        node={node}
        memory={memory}
        onConnect={(login) => {
          setOpen(false);
          onConnect(node.id, login);
        }}
        onAsk={() => setOpen(false)}
        onTest={
          onTest &&
          (() => {
            setOpen(false);
            onTest(node);
          })
        }
      />
    </OnDemand>
  );
  if (usual === undefined) {
    return (
      <SplitButton
        more={more}
        data-row-action=""
        aria-label={t('servers.connect-to', { server })}
        onClick={() => setOpen(true)}
      >
        {t('servers.connect')}
      </SplitButton>
    );
  }
  return (
    <SplitLink
      {...NEW_TAB}
      data-row-action=""
      href={connectPath(node, usual)}
      title={t('servers.connect-as', { server, login: usual })}
      aria-label={t('servers.connect-as', { server, login: usual })}
      more={more}
      onClick={() => onConnect(node.id, usual)}
      onAuxClick={(event) => event.button === 1 && onConnect(node.id, usual)}
    >
      {t('servers.connect')}
    </SplitLink>
  );
}
