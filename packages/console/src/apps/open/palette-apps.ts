/** Applications in the command palette, by a few letters of the name. */
import type { App } from '@gatehouse/contract/apps/apps';
import { pagePath } from '@gatehouse/contract/pages';
import type { PaletteItem } from '@gatehouse/design/palette-groups';
import { useQuery } from '@tanstack/react-query';
import AppWindow from 'lucide-react/icons/app-window';
import { useFollow } from '../../address/address.tsx';
import { fewQuery } from '../../resource-list/resource-queries.ts';
import { useRested } from '../../resource-list/use-rested.ts';
import { useUser } from '../../sign-in/user.ts';
import { useWords } from '../../words/words.ts';
import { useApi } from '../../world/use-api.ts';
import { APPS } from '../app-queries.ts';
import { launchPath, NEW_TAB } from './launch-path.ts';

const TYPING_MS = 120;

export function usePaletteApps(clusterId: string, query: string) {
  const t = useWords();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useUser();
  const name = query.trim();
  const asked = useRested(name, TYPING_MS);
  const isFor = asked !== '' && name !== '';
  const found = useQuery({
    ...fewQuery(APPS, api, clusterId, asked),
    enabled: userAcl.appServers.list && isFor,
  });

  const item = (app: App): PaletteItem => {
    // Others have something to choose or to type first.
    const path = app.gatehouse?.type === 'web' ? launchPath(app) : undefined;
    const show = () => follow(`${pagePath('apps', { clusterId })}?open=${encodeURIComponent(app.name)}`);
    return {
      id: `app-${app.name}`,
      title: app.name,
      icon: AppWindow,
      detail: app.description,
      // Found by the gateway, perhaps by a label: here it fits whatever was typed.
      keywords: query,
      enter: path ? t('shell.palette-launch') : t('shell.palette-show'),
      onSelect: (how) => {
        if (!path || how === 'other') return show();
        window.open(path, NEW_TAB.target, NEW_TAB.rel);
      },
    };
  };
  return {
    group: {
      id: 'apps',
      title: t('shell.apps'),
      items: isFor ? (found.data?.items ?? []).map(item) : [],
      ...(isFor && found.data && found.data.totalCount > found.data.items.length
        ? { total: found.data.totalCount }
        : {}),
    },
    isBusy: found.isFetching,
  };
}
