/** Connect, as whom and to what one was there last, and an arrow for the rest. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { SplitArrow, SplitButton } from '@gatehouse/design/split-button';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/routing.tsx';
import { OnDemand } from '../../../shared/resource-list/on-demand.tsx';
import { useChoiceMemory } from './choice-memory.ts';
import { ConnectButton } from './connect-button.tsx';
import styles from './connect-menu.module.css';
import { ConnectMenu } from './connect-menu.tsx';
import { firstChoice, isOnlyChoice, lacks } from './db-choices.ts';
import { workbenchPath } from './workbench-path.ts';

interface ConnectCellProps {
  clusterId: string;
  database: Database;
  /** Everything there is to know about connecting to it. */
  onOther: (name: string) => void;
}

export function ConnectCell({ clusterId, database, onOther }: ConnectCellProps) {
  const t = useTranslate();
  const follow = useFollow();
  const [isOpen, setOpen] = useState(false);
  const [last] = useChoiceMemory(database.name);
  const { name } = database;
  if (lacks(database)) return <ConnectButton database={database} size="small" onConnect={onOther} />;
  const first = firstChoice(database, last);
  // What roles have taken since is not tried again by itself.
  const isUsual = isOnlyChoice(database) || (last !== undefined && first.dbUser === last.dbUser);
  return (
    <SplitButton
      data-row-action=""
      aria-label={
        isUsual
          ? t('databases.connect-as', { database: name, user: first.dbUser })
          : t('databases.connect-to', { database: name })
      }
      onClick={() => (isUsual ? follow(workbenchPath(clusterId, name, first)) : setOpen(true))}
      more={
        <OnDemand
          label={t('databases.choose', { database: name })}
          isOpen={isOpen}
          onOpenChange={setOpen}
          className={styles.menu}
          trigger={<SplitArrow label={t('databases.choose', { database: name })} data-row-choice="" />}
        >
          <ConnectMenu
            clusterId={clusterId}
            database={database}
            onOther={() => {
              setOpen(false);
              onOther(name);
            }}
          />
        </OnDemand>
      }
    >
      {t('databases.connect')}
    </SplitButton>
  );
}
