/** As whom and into which database: two columns, and what to do with the choice. The first action repeats it, so that Enter holds no surprise. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { Icon } from '@gatehouse/design/icon';
import { KeyCap } from '@gatehouse/design/key-cap';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import Plug from 'lucide-react/icons/plug';
import SquarePen from 'lucide-react/icons/square-pen';
import { type KeyboardEvent, useId, useRef } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { connectCommand } from './connect-commands.ts';
import styles from './connect-menu.module.css';
import { type Choices, usualName } from './db-choices.ts';
import { useDbChoice } from './use-db-choice.ts';
import { workbenchPath } from './workbench-path.ts';

interface ConnectMenuProps {
  clusterId: string;
  database: Database;
  onOther: () => void;
}

export function ConnectMenu({ clusterId, database, onOther }: ConnectMenuProps) {
  const t = useTranslate();
  const root = useRef<HTMLDivElement>(null);
  const { choice, users, names, choose, isChosen } = useDbChoice(database);
  const { state, copy } = useCopy();
  const chosen = { name: choice.dbName || usualName(database), user: choice.dbUser };
  /** The link itself, so that it is followed as one. */
  const onEnter = () => root.current?.querySelector<HTMLElement>('[data-first]')?.click();
  return (
    <div ref={root}>
      <div className={styles.columns}>
        <Names
          title={t('databases.as-user')}
          other={t('databases.another-user')}
          choices={users}
          value={choice.dbUser}
          onValue={(dbUser) => choose({ dbUser })}
          onEnter={onEnter}
        />
        <Names
          title={t('databases.database')}
          other={t('databases.another-database')}
          choices={names}
          value={choice.dbName || usualName(database)}
          onValue={(dbName) => choose({ dbName })}
          onEnter={onEnter}
        />
      </div>
      <div className={styles.actions}>
        {isChosen && (
          <PathLink
            path={workbenchPath(clusterId, database.name, choice)}
            className={styles.action}
            data-first=""
            aria-label={t('databases.open-page', chosen)}
            onClick={() => choose({})}
          >
            <Icon of={SquarePen} />
            {t('databases.open')}
            <span className={styles.hint}>
              {t('databases.open-as', chosen)}
              <KeyCap>↵</KeyCap>
            </span>
          </PathLink>
        )}
        {isChosen && (
          <button
            type="button"
            className={styles.action}
            onClick={() => {
              choose({});
              void copy(connectCommand(database, choice));
            }}
          >
            <Icon of={state === 'copied' ? Check : Copy} />
            <span role="status">{t(state === 'copied' ? 'databases.copied' : 'databases.copy-command')}</span>
            <code className={styles.hint}>gatehouse db connect</code>
          </button>
        )}
        <button type="button" className={styles.action} onClick={onOther}>
          <Icon of={Plug} />
          {t('databases.other-ways')}
        </button>
      </div>
    </div>
  );
}

interface NamesProps {
  title: string;
  /** Over the field for any other, where there may be one. */
  other: string;
  choices: Choices;
  value: string;
  onValue: (value: string) => void;
  onEnter: () => void;
}

function Names({ title, other, choices: { named, isAny }, value, onValue, onEnter }: NamesProps) {
  const group = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
  };
  const isOther = value !== '' && !named.includes(value);
  return (
    <fieldset className={styles.names}>
      <legend className={styles.title}>{title}</legend>
      <div className={styles.list}>
        {named.map((name) => (
          <label key={name} className={styles.name} data-chosen={name === value || undefined}>
            <input
              type="radio"
              name={group}
              checked={name === value}
              onChange={() => onValue(name)}
              onKeyDown={onKeyDown}
            />
            <code>{name}</code>
            {name === value && <Icon of={Check} size={14} />}
          </label>
        ))}
      </div>
      {isAny && (
        <input
          className={styles.field}
          aria-label={other}
          placeholder={other}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={isOther ? value : ''}
          onChange={({ target }) => onValue(target.value)}
          onKeyDown={onKeyDown}
        />
      )}
    </fieldset>
  );
}
