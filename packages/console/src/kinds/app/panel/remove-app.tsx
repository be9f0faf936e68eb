/** Takes an application out of the list. One that agents announce would be back at once, so it goes with them. */
import { type App, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { useQueryClient } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import styles from './app-panel.module.css';

export function RemoveApp({ app: { name, clusterId, gatehouse }, onGone }: { app: App; onGone: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userAcl } = useUser();
  const [isAsking, setAsking] = useState(false);
  if (!userAcl.appServers.remove) return null;
  if (gatehouse?.source === 'agent') return <p className={styles.lead}>{t('app-panel.remove-agent-text')}</p>;
  const remove = async () => {
    await api(appRoutes.remove, { params: { clusterId, name } });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('app-panel.remove')}
      </Button>
      {isAsking && (
        <AskDialog
          title={t('app-panel.remove-title', { app: name })}
          confirmWord={t('app-panel.remove')}
          run={remove}
          done={t('app-panel.removed', { app: name })}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {t('app-panel.remove-text', { app: name })}
        </AskDialog>
      )}
    </>
  );
}
