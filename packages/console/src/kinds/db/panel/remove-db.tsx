/** Takes a database out of the list. One that agents announce would be back at once, so it goes with them. */
import { type Database, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { useQueryClient } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import styles from './db-panel.module.css';

interface RemoveDbProps {
  clusterId: string;
  database: Database;
  onGone: () => void;
}

export function RemoveDb({ clusterId, database: { name, gatehouse }, onGone }: RemoveDbProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userAcl } = useUser();
  const [isAsking, setAsking] = useState(false);
  if (!userAcl.db.remove) return null;
  if (gatehouse?.source === 'agent') return <p className={styles.lead}>{t('db-panel.remove-agent-text')}</p>;
  const remove = async () => {
    await api(databaseRoutes.remove, { params: { clusterId, name } });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('db-panel.remove')}
      </Button>
      {isAsking && (
        <AskDialog
          title={t('db-panel.remove-title', { database: name })}
          confirmWord={t('db-panel.remove')}
          run={remove}
          done={t('db-panel.removed', { database: name })}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {t('db-panel.remove-text', { database: name })}
        </AskDialog>
      )}
    </>
  );
}
