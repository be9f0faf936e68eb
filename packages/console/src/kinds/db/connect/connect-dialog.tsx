/** Chooses as whom and into which database: there leads the workbench, and commands. */
import { type Database, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button, buttonClass } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { Icon } from '@gatehouse/design/icon';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import SquarePen from 'lucide-react/icons/square-pen';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { titleOf, WayBadges } from '../db-badges.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import { clientCommand, connectCommand, proxyCommand } from './connect-commands.ts';
import styles from './connect-dialog.module.css';
import { lacks, usualName } from './db-choices.ts';
import { useDbChoice } from './use-db-choice.ts';
import { workbenchPath } from './workbench-path.ts';

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
      {found.data && <Ways clusterId={clusterId} database={found.data} />}
    </Dialog>
  );
}

function Ways({ clusterId, database }: { clusterId: string; database: Database }) {
  const t = useTranslate();
  const choosing = useDbChoice(database);
  const { choice, isChosen } = choosing;
  const lacking = lacks(database);
  if (lacking) return <Notice tone="warn">{t(`db-connect.lacks-${lacking}`)}</Notice>;
  const { dbUser, dbName } = choice;
  const path = workbenchPath(clusterId, database.name, choice);
  return (
    <div className={styles.stack}>
      <p className={styles.what}>
        {titleOf(database)} <code>{database.hostname}</code> <WayBadges database={database} />
      </p>
      <ChoiceFields choosing={choosing} />
      {isChosen && (
        <p>
          <PathLink path={path} className={buttonClass({ tone: 'primary' })}>
            <Icon of={SquarePen} />
            {t('db-connect.workbench-as', { name: dbName || usualName(database), user: dbUser })}
          </PathLink>
        </p>
      )}
      {isChosen ? (
        <section className={styles.stack} aria-label={t('db-connect.commands')}>
          <h3 className={styles.heading}>{t('db-connect.commands')}</h3>
          <CopyField label={t('db-connect.sign-in')} value={`gatehouse login ${window.location.origin}`} />
          <CopyField label={t('db-connect.in-one')} value={connectCommand(database, choice)} />
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
