/** `login@server` and Enter: completes names while one types, and says when there is no such server or login. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { TextField } from '@gatehouse/design/text-field';
import { TextLink } from '@gatehouse/design/text-link';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { fewQuery } from '../../../shared/resource-list/resource-queries.ts';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import { SERVERS, serverQuery } from '../server-queries.ts';
import styles from '../servers.module.css';
import { connectPath, NEW_TAB } from './connect-search-params.ts';
import type { LoginMemory } from './login-memory.ts';
import { mayUse, offeredLogins, usualLogin } from './logins.ts';
import { WhyLink } from './no-login.tsx';
import { openTab, readTarget } from './quick-connect-target.ts';

const TYPING_MS = 120;

interface QuickConnectProps {
  clusterId: string;
  memory: LoginMemory;
  onConnect: (serverId: string, login: string) => void;
}

export function QuickConnect({ clusterId, memory, onConnect }: QuickConnectProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userName } = useUser();
  const [shortcuts] = usePreference('shortcuts');
  const id = useId();
  const [typed, setTyped] = useState('');
  const [isListed, setListed] = useState(false);
  const [at, setAt] = useState<number>();
  const [problem, setProblem] = useState<ReactNode>();
  const [isBusy, setBusy] = useState(false);
  const { login, name } = readTarget(typed);
  const asked = useDebounced(name, TYPING_MS);
  const found = useQuery({
    ...fewQuery(SERVERS, api, clusterId, asked),
    enabled: isListed && asked !== '',
    // What is listed stays while more is asked for: gone for a moment, it could not be taken by the key that is pressed right then.
    placeholderData: keepPreviousData,
  });
  // Nor does it stay for a word that it does not fit: somebody would be led to another server than they typed.
  const isBehind = asked !== name || found.isPlaceholderData;
  const names = (isListed && name !== '' ? (found.data?.items ?? []) : []).filter(
    ({ hostname }) => !isBehind || hostname.toLowerCase().includes(name.toLowerCase()),
  );
  const chosen = at === undefined ? undefined : names[at];

  const change = (text: string) => {
    setTyped(text);
    setListed(true);
    setAt(undefined);
    setProblem(undefined);
  };
  const fail = (why: ReactNode) => {
    setListed(false);
    setProblem(why);
  };
  const connect = (node: Node) => {
    const server = node.hostname;
    if (login !== undefined && !mayUse(node, login)) {
      return fail(
        <>
          {t('servers.login-not-yours', { login, server })} <WhyLink node={node} login={login} />
        </>,
      );
    }
    const as = login ?? usualLogin(node, memory, userName);
    if (as === undefined) {
      const [first] = offeredLogins(node, memory, userName);
      if (first) return fail(t('servers.quick-which', { example: `${first.login}@${server}` }));
      return fail(
        <>
          {t('servers.quick-no-login', { server })} <WhyLink node={node} />
        </>,
      );
    }
    onConnect(node.id, as);
    if (openTab(connectPath(node, as))) return change('');
    fail(
      <>
        {t('servers.quick-blocked')}{' '}
        <TextLink {...NEW_TAB} href={connectPath(node, as)}>
          {t('servers.quick-open', { login: as, server })}
        </TextLink>
      </>,
    );
  };
  const resolve = async () => {
    setBusy(true);
    try {
      connect(await queries.fetchQuery(serverQuery(api, clusterId, name)));
    } catch (error) {
      const code = refusalOf(error)?.code;
      if (code === 'not_found') fail(t('servers.quick-none', { name }));
      else if (code === 'conflict') {
        setProblem(t('servers.quick-several', { name }));
        setListed(true);
      } else fail(failureWords(t, error));
    }
    setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' && names.length > 0) setAt(((at ?? -1) + 1) % names.length);
    else if (event.key === 'ArrowUp' && names.length > 0) setAt(((at ?? names.length) || names.length) - 1);
    else if (event.key === 'Escape' && isListed && names.length > 0) setListed(false);
    else if (event.key === 'Escape') change('');
    else if (event.key === 'Enter' && chosen) connect(chosen);
    else if (event.key === 'Enter' && name !== '') {
      const same = names.filter(({ hostname }) => hostname === name);
      // What is known already opens within the key press, which no browser takes for a pop-up.
      if (same.length === 1 && same[0]) connect(same[0]);
      else void resolve();
    } else return;
    event.preventDefault();
  };
  return (
    <div className={styles.quick}>
      <TextField
        type="search"
        label={t('servers.quick')}
        labelHidden
        className={styles.quickField}
        placeholder={t('servers.quick-placeholder')}
        icon={SquareTerminal}
        mono
        {...(shortcuts === 'off' ? {} : { focusKey: '@' })}
        role="combobox"
        aria-expanded={names.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        aria-autocomplete="list"
        busy={isBusy}
        value={typed}
        error={problem}
        onValueChange={change}
        onKeyDown={onKeyDown}
        onBlur={() => setListed(false)}
        onFocus={() => setListed(true)}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-label={t('servers.quick')}
        className={styles.quickList}
        hidden={names.length === 0}
      >
        {names.map((node) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and has the keys
          <div
            key={node.id}
            id={`${id}-${node.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={node === chosen}
            className={styles.menuOption}
            // Pressed, not clicked: by then the field would have lost the focus and the list would be gone.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => connect(node)}
          >
            {node.hostname}
            {names.some((other) => other !== node && other.hostname === node.hostname) && (
              <span className={styles.mono}>{node.addr || node.id}</span>
            )}
            <span className={styles.menuHint}>{login ?? usualLogin(node, memory, userName)}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
