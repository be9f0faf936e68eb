/** Takes an application out of the list. */
import { type App, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { RemoveResource } from '../../../shared/resource-panel/remove-resource.tsx';

export function RemoveApp({ app: { name, clusterId, gatehouse }, onGone }: { app: App; onGone: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const { userAcl } = useUser();
  if (!userAcl.appServers.remove) return null;
  return (
    <RemoveResource
      words={{
        remove: t('app-panel.remove'),
        title: t('app-panel.remove-title', { app: name }),
        text: t('app-panel.remove-text', { app: name }),
        removed: t('app-panel.removed', { app: name }),
      }}
      announced={gatehouse?.source === 'agent' ? t('app-panel.remove-agent-text') : undefined}
      remove={() => api(appRoutes.remove, { params: { clusterId, name } })}
      onGone={onGone}
    />
  );
}
