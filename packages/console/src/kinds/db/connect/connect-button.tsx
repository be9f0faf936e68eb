/** The way into a database, or why there is none. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../databases.module.css';
import { lacks } from './db-choices.ts';

interface ConnectButtonProps {
  database: Database;
  size?: 'small';
  onConnect: (name: string) => void;
}

export function ConnectButton({ database, size, onConnect }: ConnectButtonProps) {
  const t = useTranslate();
  const { askWhy } = useShellActions();
  const { name } = database;
  const look = size ? { size } : {};
  const lacking = lacks(database);
  if (lacking) {
    return (
      <Button
        {...look}
        tone="ghost"
        data-row-action=""
        className={styles.none}
        aria-label={t(`databases.no-${lacking}-in`, { database: name })}
        title={t(`databases.no-${lacking}-in`, { database: name })}
        onClick={() => askWhy({ resource: { kind: 'db', id: name, name }, anyName: true })}
      >
        {t(`databases.no-${lacking}`)}
      </Button>
    );
  }
  return (
    <Button
      {...look}
      data-row-action=""
      aria-label={t('databases.connect-to', { database: name })}
      onClick={() => onConnect(name)}
    >
      {t('databases.connect')}
    </Button>
  );
}
