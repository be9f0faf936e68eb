/** Takes a database out of the list. */
import { type Database, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { RemoveResource } from '../../../shared/resource-panel/remove-resource.tsx';

interface RemoveDbProps {
  clusterId: string;
  database: Database;
  onGone: () => void;
}

export function RemoveDb({ clusterId, database: { name, gatehouse }, onGone }: RemoveDbProps) {
  const t = useTranslate();
  const api = useApi();
  const { userAcl } = useUser();
  if (!userAcl.db.remove) return null;
  return (
    <RemoveResource
      words={{
        remove: t('db-panel.remove'),
        title: t('db-panel.remove-title', { database: name }),
        text: t('db-panel.remove-text', { database: name }),
        removed: t('db-panel.removed', { database: name }),
      }}
      announced={gatehouse?.source === 'agent' ? t('db-panel.remove-agent-text') : undefined}
      remove={() => api(databaseRoutes.remove, { params: { clusterId, name } })}
      onGone={onGone}
    />
  );
}
