/** Chooses as whom and into which database, and gives the commands that lead there. */
import { type Database, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { titleOf, WayBadges } from '../db-badges.tsx';
import { ChoiceField } from './choice-field.tsx';
import { useChoiceMemory } from './choice-memory.ts';
import { clientCommand, proxyCommand } from './connect-commands.ts';
import styles from './connect-dialog.module.css';
import { type DbChoice, firstChoice, fits, lacks, nameChoices, userChoices } from './db-choices.ts';

interface ConnectDialogProps {
  clusterId: string;
  name: string;
  onClose: () => void;
}

export function ConnectDialog({ clusterId, name, onClose }: ConnectDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery({
    queryKey: [RESOURCES, 'databases', clusterId, 'connect', name],
    queryFn: ({ signal }) => api(databaseRoutes.get, { params: { clusterId, name } }, signal),
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('databases.connect-to', { database: name })}
      footer={<Button onClick={onClose}>{t('db-connect.close')}</Button>}
    >
      {found.error && <Notice tone="bad">{failureWords(t, found.error)}</Notice>}
      {found.isPending && <Spinner />}
      {found.data && <Ways database={found.data} />}
    </Dialog>
  );
}

function Ways({ database }: { database: Database }) {
  const t = useTranslate();
  const [last, remember] = useChoiceMemory(database.name);
  const [choice, setChoice] = useState(() => firstChoice(database, last));
  const lacking = lacks(database);
  if (lacking) return <Notice tone="warn">{t(`db-connect.lacks-${lacking}`)}</Notice>;
  const [users, names] = [userChoices(database), nameChoices(database)];
  const choose = (change: Partial<DbChoice>) => {
    const next = { ...choice, ...change };
    setChoice(next);
    if (fits(users, next.dbUser)) remember(next);
  };
  // Left empty it is the default, where there is one: without, the command would be refused.
  const isNamed = choice.dbName === '' ? (database.gatehouse?.database ?? '') !== '' : fits(names, choice.dbName);
  const isChosen = fits(users, choice.dbUser) && isNamed;
  return (
    <div className={styles.stack}>
      <p className={styles.what}>
        {titleOf(database)} <code>{database.hostname}</code> <WayBadges database={database} />
      </p>
      <div className={styles.pair}>
        <ChoiceField
          label={t('db-connect.user')}
          hint={t('db-connect.user-hint')}
          autoFocus
          choices={users}
          value={choice.dbUser}
          onValue={(dbUser) => choose({ dbUser })}
        />
        <ChoiceField
          label={t('db-connect.name')}
          hint={t('db-connect.name-hint')}
          choices={names}
          value={choice.dbName}
          onValue={(dbName) => choose({ dbName })}
        />
      </div>
      {isChosen ? (
        <section className={styles.stack} aria-label={t('db-connect.commands')}>
          <h3 className={styles.heading}>{t('db-connect.commands')}</h3>
          <CopyField label={t('db-connect.sign-in')} value={`gatehouse login ${window.location.origin}`} />
          <CopyField label={t('db-connect.listen')} value={proxyCommand(database, choice)} />
          <CopyField label={t('db-connect.client')} value={clientCommand(database, choice)} />
          <p className={styles.lead}>{t('db-connect.no-password')}</p>
        </section>
      ) : (
        <p className={styles.lead}>{t('db-connect.choose-first')}</p>
      )}
    </div>
  );
}
