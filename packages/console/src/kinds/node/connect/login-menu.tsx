/** The logins somebody has on a server: type to find one, or any where any is allowed; arrows choose, Enter connects. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { Icon } from '@gatehouse/design/icon';
import { KeyCap } from '@gatehouse/design/key-cap';
import Activity from 'lucide-react/icons/activity';
import { type KeyboardEvent, useId, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import styles from '../servers.module.css';
import { connectPath, NEW_TAB } from './connect-search-params.ts';
import type { LoginMemory } from './login-memory.ts';
import { isLogin, mayTypeLogin, type OfferedLogin, offeredLogins } from './logins.ts';
import { WhyLink } from './no-login.tsx';

interface LoginMenuProps {
  node: Node;
  memory: LoginMemory;
  /** After a link was followed. */
  onConnect: (login: string) => void;
  /** Another dialog is about to open. */
  onAsk: () => void;
  onTest: (() => void) | undefined;
}

export function LoginMenu({ node, memory, onConnect, onAsk, onTest }: LoginMenuProps) {
  const t = useTranslate();
  const { userName } = useUser();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const logins = fitting(node, offeredLogins(node, memory, userName), typed.trim());
  const chosen = logins[Math.min(at, logins.length - 1)];
  const optionId = (login: string) => `${id}-${login}`;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, logins.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    // The link itself, so that the new tab is the browser's own doing.
    else if (event.key === 'Enter' && chosen) document.getElementById(optionId(chosen.login))?.click();
    else return;
    event.preventDefault();
  };
  const isAny = mayTypeLogin(node);
  return (
    <>
      <div className={styles.menuHead}>{t('servers.connect-as-heading')}</div>
      <input
        className={styles.menuField}
        role="combobox"
        aria-label={t('servers.login')}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && optionId(chosen.login)}
        aria-autocomplete="list"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={t(isAny ? 'servers.login-type' : 'servers.login-filter')}
        value={typed}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-label={t('servers.logins-of', { server: node.hostname })}
        className={styles.menuList}
      >
        {logins.map((offered, index) => (
          <LoginOption
            key={offered.login}
            id={optionId(offered.login)}
            node={node}
            offered={offered}
            isChosen={offered === chosen}
            onPoint={() => setAt(index)}
            onFollow={() => onConnect(offered.login)}
          />
        ))}
      </div>
      {logins.length === 0 && (
        <p role="status" className={styles.menuNote}>
          {isAny ? (
            t('servers.login-not-name')
          ) : (
            <>
              {t('servers.login-not-yours', { login: typed.trim(), server: node.hostname })}{' '}
              <WhyLink node={node} login={typed.trim()} onAsk={onAsk} />
            </>
          )}
        </p>
      )}
      {onTest && (
        <button type="button" className={styles.menuItem} onClick={onTest}>
          <Icon of={Activity} size={14} />
          {t('servers.test')}
        </button>
      )}
    </>
  );
}

/** Those that hold what was typed; where any may be typed, also exactly that. */
function fitting(node: Node, offered: readonly OfferedLogin[], typed: string): OfferedLogin[] {
  const found = offered.filter(({ login }) => login.toLowerCase().includes(typed.toLowerCase()));
  const isOther = mayTypeLogin(node) && isLogin(typed) && !found.some(({ login }) => login === typed);
  return isOther ? [{ login: typed, lastUsed: undefined }, ...found] : found;
}

interface LoginOptionProps {
  id: string;
  node: Node;
  offered: OfferedLogin;
  isChosen: boolean;
  onPoint: () => void;
  onFollow: () => void;
}

function LoginOption({ id, node, offered: { login, lastUsed }, isChosen, onPoint, onFollow }: LoginOptionProps) {
  const { now } = useBrowser();
  return (
    <a
      {...NEW_TAB}
      id={id}
      href={connectPath(node, login)}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={styles.menuOption}
      onPointerMove={isChosen ? undefined : onPoint}
      onClick={onFollow}
      onAuxClick={(event) => event.button === 1 && onFollow()}
    >
      <code>{login}</code>
      <span className={styles.menuHint}>
        {lastUsed !== undefined && formatRelative(lastUsed, now())}
        {isChosen && <KeyCap>↵</KeyCap>}
      </span>
    </a>
  );
}
