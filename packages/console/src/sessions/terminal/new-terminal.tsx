/** The page of a new tab: servers to open a terminal on, the ones used last first. */

import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { TextField } from '@gatehouse/design/text-field';
import { useQuery } from '@tanstack/react-query';
import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { type LoginMemory, useLoginMemory } from '../../kinds/node/connect/login-memory.ts';
import { mayTypeLogin, mayUse, offeredLogins, usualLogin } from '../../kinds/node/connect/logins.ts';
import { readTarget } from '../../kinds/node/connect/quick-connect-target.ts';
import { SERVERS } from '../../kinds/node/server-queries.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageParams } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { fewQuery } from '../../shared/resource-list/resource-queries.ts';
import { useDebounced } from '../../shared/resource-list/use-debounced.ts';
import styles from './new-terminal.module.css';

const TYPING_MS = 120;
const SHOWN = 30;
const LOGINS_SHOWN = 4;

interface NewTerminalProps {
  onOpen: (clusterId: string, server: string, login: string, serverName: string) => void;
}

export function NewTerminal({ onOpen }: NewTerminalProps) {
  const t = useTranslate();
  const api = useApi();
  const { clusterId } = usePageParams('consoleNodes');
  const { userName } = useUser();
  const [memory, remember] = useLoginMemory();
  const [typed, setTyped] = useState('');
  /** Enter was pressed, and is carried out when it is known which server it means. */
  const [isEntered, setEntered] = useState(false);
  const change = (next: string) => {
    setTyped(next);
    setEntered(false);
  };
  const { login, name } = readTarget(typed);
  const asked = useDebounced(name, TYPING_MS);
  const found = useQuery({
    ...fewQuery(SERVERS, api, clusterId, asked, SHOWN),
    placeholderData: (before) => before,
  });
  const servers = usedLastFirst(found.data?.items ?? [], memory);
  const loginFor = (node: Node) => {
    const wanted = login ?? usualLogin(node, memory, userName);
    return wanted !== undefined && mayUse(node, wanted) ? wanted : undefined;
  };
  const open = (node: Node, as: string) => {
    remember(node.id, as);
    onOpen(clusterId, node.id, as, node.hostname);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    setEntered(true);
  };
  // The list may still be that of the word before: its first server is not the one that is meant.
  const isCurrent = asked === name && found.data !== undefined && !found.isPlaceholderData;
  const named = servers.find(({ hostname }) => hostname === name);
  useEffect(() => {
    if (!isEntered || !(named || isCurrent)) return;
    setEntered(false);
    const node = named ?? servers[0];
    const as = node && loginFor(node);
    if (node && as !== undefined) open(node, as);
  });
  const more = (found.data?.totalCount ?? 0) - servers.length;
  return (
    <div className={styles.page}>
      <div className={styles.column}>
        <Icon of={SquareTerminal} size={24} className={styles.mark} />
        <h2 className={styles.title}>{t('terminal.new-title')}</h2>
        <p className={styles.lead}>{t('terminal.new-text')}</p>
        <TextField
          type="search"
          size="large"
          mono
          autoFocus
          label={t('terminal.new-title')}
          labelHidden
          placeholder={t('terminal.new-search')}
          value={typed}
          onValueChange={change}
          onClear={() => change('')}
          onKeyDown={onKeyDown}
          busy={found.isFetching && !found.isPending}
        />
        <ul className={styles.servers}>
          {servers.map((node) => (
            <ServerRow
              key={node.id}
              node={node}
              usual={loginFor(node)}
              logins={offeredLogins(node, memory, userName).map((offered) => offered.login)}
              onOpen={(as) => open(node, as)}
            />
          ))}
        </ul>
        {found.data && servers.length === 0 && (
          <p className={styles.lead} role="status">
            {name === '' ? t('terminal.new-empty') : t('terminal.new-none', { words: name })}
          </p>
        )}
        {more > 0 && <p className={styles.lead}>{t('terminal.new-more', { count: more })}</p>}
      </div>
    </div>
  );
}

interface ServerRowProps {
  node: Node;
  usual: string | undefined;
  logins: readonly string[];
  onOpen: (login: string) => void;
}

function ServerRow({ node, usual, logins, onOpen }: ServerRowProps) {
  const t = useTranslate();
  const server = node.hostname;
  const shown = [...new Set([...(usual === undefined ? [] : [usual]), ...logins])].slice(0, LOGINS_SHOWN);
  return (
    <li className={styles.server}>
      <Icon of={Server} className={styles.icon} />
      <span className={styles.facts}>
        <code className={classNames(ONE_LINE, styles.name)}>{server}</code>
        <code className={classNames(ONE_LINE, styles.address)}>{node.addr}</code>
      </span>
      <span className={styles.logins}>
        {shown.length === 0 && (
          <span className={styles.none}>
            {mayTypeLogin(node) ? t('terminal.new-type-login', { server }) : t('terminal.new-no-login')}
          </span>
        )}
        {shown.map((login) => (
          <Button
            key={login}
            size="small"
            tone={login === usual ? 'secondary' : 'ghost'}
            aria-label={t('terminal.new-as', { login, server })}
            onClick={() => onOpen(login)}
          >
            <code>{login}</code>
          </Button>
        ))}
      </span>
    </li>
  );
}

function usedLastFirst(servers: readonly Node[], memory: LoginMemory): Node[] {
  const time = ({ id }: Node) => memory[id]?.[0]?.time ?? 0;
  return servers.toSorted((a, b) => time(b) - time(a));
}
