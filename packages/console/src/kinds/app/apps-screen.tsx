/** Applications: every one the user can open, as cards or a table, found by a few letters or a label. */

import AppWindow from 'lucide-react/icons/app-window';
import Globe from 'lucide-react/icons/globe';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EmptyList } from '../../shared/resource-list/empty-list.tsx';
import type { FirstStep } from '../../shared/resource-list/no-resources.tsx';
import { ResourceFrame } from '../../shared/resource-list/resource-frame.tsx';
import { ResourceTable } from '../../shared/resource-list/resource-table.tsx';
import { useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import { AppCards } from './app-cards.tsx';
import { useAppColumns } from './app-columns.tsx';
import { APPS } from './app-queries.ts';
import { AppsTools, useAppsView } from './apps-tools.tsx';
import { AwayNamesButton } from './names/away-names-button.tsx';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'apps.empty-address', icon: Globe },
  { word: 'apps.empty-check', icon: ShieldCheck },
  { word: 'apps.empty-open', icon: AppWindow },
];

export function AppsScreen() {
  const t = useTranslate();
  const { userAcl } = useUser();
  // Entered here, or announced by an agent that joins: either is a way to add one.
  const mayAdd = userAcl.appServers.create || userAcl.tokens.create;
  const screen = useResourceScreen(APPS, { mayAdd });
  const { clusterId, address, rows, isEmpty, isPicked, onPick } = screen;
  const { sortBy, open, start } = screen.actions;
  const [view, setView] = useAppsView();
  const columns = useAppColumns(screen);
  const empty = <EmptyList screen={screen} icon={AppWindow} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame
      screen={screen}
      tools={
        <AppsTools
          names={<AwayNamesButton clusterId={clusterId} />}
          view={view}
          onView={setView}
          sort={address.sort}
          onSort={sortBy}
          updatedAt={rows.updatedAt}
          isFetching={rows.isFetching}
          onRefresh={rows.refresh}
        />
      }
      panel={(opened) => <AppPanel {...opened} onEdit={() => start('edit')} />}
    >
      {isEmpty && empty}
      {isEmpty && <AwayNamesButton clusterId={clusterId} />}
      {!isEmpty && view === 'cards' && (
        <AppCards
          label={t('pages.apps')}
          source={rows.source}
          isPending={rows.isPending}
          isCurrent={({ name }) => name === address.open}
          isNew={rows.isNew}
          isPicked={isPicked}
          onPick={onPick}
          onOpen={open}
          onRange={screen.onRange}
          empty={empty}
        />
      )}
      {!isEmpty && view === 'table' && (
        <ResourceTable screen={screen} columns={columns} empty={empty} keys={{ act: 'apps.key-launch' }} />
      )}
      {address.doing === 'edit' && address.open !== undefined && (
        <Suspense>
          <EditAppDialog clusterId={clusterId} name={address.open} onClose={() => start(undefined)} />
        </Suspense>
      )}
    </ResourceFrame>
  );
}

const AppPanel = lazyPart(
  () => import('./panel/app-panel.tsx').then((file) => file.AppPanel),
  ['app-panel', 'app-form', 'access', 'connection-steps', 'webauthn'],
);
const EditAppDialog = lazyPart(
  () => import('./form/edit-app-dialog.tsx').then((file) => file.EditAppDialog),
  ['app-form', 'app-panel', 'way-there', 'connection-steps'],
);
