/** Applications: every one the user can open, as cards or a table, found by a few letters or a label. */
import type { Label } from '@gatehouse/contract/labels';
import { Button } from '@gatehouse/design/button';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import { type RowRange, VirtualTable } from '@gatehouse/design/virtual-table';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Plus from 'lucide-react/icons/plus';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { usePageParams } from '../address/address.tsx';
import { failureWords } from '../credentials/failure-words.ts';
import { FilterField } from '../resource-list/filter-field.tsx';
import { hasLabel, readFilter, toggleLabel, writeFilter } from '../resource-list/filter-query.ts';
import { ListFrame } from '../resource-list/list-frame.tsx';
import { createInSight, RangeWords } from '../resource-list/range-words.tsx';
import { useUser } from '../sign-in/user.ts';
import { loadWords, type Translate, useWords } from '../words/words.ts';
import { usePreference } from '../world/preferences.ts';
import { AppCards } from './app-cards.tsx';
import { useAppColumns } from './app-columns.tsx';
import { appKey, useAppCount, useApps } from './app-queries.ts';
import styles from './apps.module.css';
import { useAppsAddress } from './apps-address.ts';
import { AppsTools, useAppsView } from './apps-tools.tsx';
import { NoApps, NoMatch } from './no-apps.tsx';

const NO_FILTER = { search: '', query: '' };

export function AppsScreen() {
  const t = useWords();
  const { clusterId } = usePageParams('apps');
  const { userAcl } = useUser();
  const [address, { filter, sortBy, open, start, openInstead }] = useAppsAddress();
  const apps = useApps(clusterId, address);
  const { source, onRange, error } = apps;
  const isFiltered = address.search !== '' || address.query !== '';
  const all = useAppCount(clusterId, isFiltered);
  const [view, setView] = useAppsView();
  const [inSight] = useState(createInSight);
  const [shortcuts] = usePreference('shortcuts');
  // Entered here, or announced by an agent that joins: either is a way to add one.
  const mayAdd = userAcl.appServers.create || userAcl.tokens.create;

  const shownFilter = useMemo(() => readFilter(address), [address]);
  const isPicked = useCallback((label: Label) => hasLabel(shownFilter, label), [shownFilter]);
  const pick = useCallback(
    (label: Label) => filter(writeFilter(toggleLabel(shownFilter, label)), 'push'),
    [filter, shownFilter],
  );
  const columns = useAppColumns({ isNarrow: address.open !== undefined, isPicked, onPick: pick });
  const look = useCallback(
    (range: RowRange) => {
      inSight.tell(range);
      onRange(range);
    },
    [inSight, onRange],
  );
  useKey(['Escape'], () => open(undefined), address.open !== undefined && address.doing === undefined);
  useKey(['n'], () => start('add'), mayAdd && shortcuts !== 'off');
  // Without anything to show, what failed is the whole screen: the shell shows it and offers another try.
  if (error && source.list === '' && !isFiltered) throw error;

  const { count } = source;
  const isEmpty = source.list !== '' && count === 0 && !isFiltered;
  const add = mayAdd ? () => start('add') : undefined;
  const empty = isFiltered ? <NoMatch all={all} onClear={() => filter(NO_FILTER, 'push')} /> : <NoApps onAdd={add} />;
  const list = {
    label: t('pages.apps'),
    source,
    onRange: look,
    isNew: apps.isNew,
    empty,
  };
  return (
    <ListFrame
      title={t('pages.apps')}
      meta={source.list !== '' && !isEmpty && countWords(t, isFiltered ? all : count, isFiltered ? count : undefined)}
      actions={
        // There is one main action, and where there is nothing else it stands in the middle.
        add &&
        !isEmpty && (
          <Button tone="primary" icon={Plus} onClick={add}>
            {t('apps.add')}
          </Button>
        )
      }
      tools={
        !isEmpty && (
          <FilterField
            label={t('apps.search')}
            value={address}
            onFilter={filter}
            error={error && isFiltered ? failureWords(t, error) : undefined}
          >
            <AppsTools
              view={view}
              onView={setView}
              sort={address.sort}
              onSort={sortBy}
              updatedAt={apps.updatedAt}
              isFetching={apps.isFetching}
              onRefresh={apps.refresh}
            />
          </FilterField>
        )
      }
      panel={
        address.open !== undefined && (
          <Suspense>
            <AppPanel
              key={address.open}
              clusterId={clusterId}
              name={address.open}
              tab={address.tab}
              isPicked={isPicked}
              onPick={pick}
              onTab={(tab) => open(address.open, tab)}
              onEdit={() => start('edit')}
              onClose={() => open(undefined)}
            />
          </Suspense>
        )
      }
    >
      {isEmpty && empty}
      {!isEmpty && view === 'cards' && (
        <AppCards
          {...list}
          isPending={apps.isPending}
          isCurrent={({ name }) => name === address.open}
          isPicked={isPicked}
          onPick={pick}
          onOpen={open}
        />
      )}
      {!isEmpty && view === 'table' && (
        <>
          <VirtualTable
            {...list}
            columns={columns}
            rowKey={appKey}
            sort={address.sort}
            onSortChange={sortBy}
            onOpenRow={({ name }) => open(name)}
            isCurrent={({ name }) => name === address.open}
            loading={apps.isPending}
            refreshing={apps.isFetching}
            className={styles.table}
          />
          <TableFoot
            keys={[
              { keys: ['J', 'K'], word: t('apps.key-move') },
              { keys: ['↵'], word: t('apps.key-launch') },
              { keys: ['Space'], word: t('apps.key-details') },
              { keys: ['?'], word: t('apps.key-all') },
            ]}
          >
            <RangeWords inSight={inSight} count={count} />
          </TableFoot>
        </>
      )}
      <span role="status">
        <VisuallyHidden>{source.list !== '' && t('apps.found', { found: count })}</VisuallyHidden>
      </span>
      {address.doing === 'add' && mayAdd && (
        <Suspense>
          <AddAppDialog clusterId={clusterId} onClose={() => start(undefined)} onAdded={openInstead} />
        </Suspense>
      )}
      {address.doing === 'edit' && address.open !== undefined && (
        <Suspense>
          <EditAppDialog clusterId={clusterId} name={address.open} onClose={() => start(undefined)} />
        </Suspense>
      )}
    </ListFrame>
  );
}

const AppPanel = lazy(async () => {
  const [file] = await Promise.all([import('./panel/app-panel.tsx'), loadWords(['app-panel', 'app-form', 'access'])]);
  return { default: file.AppPanel };
});
const AddAppDialog = lazy(async () => {
  const [file] = await Promise.all([
    import('./add/add-app-dialog.tsx'),
    loadWords(['add-app', 'app-form', 'add-server']),
  ]);
  return { default: file.AddAppDialog };
});
const EditAppDialog = lazy(async () => {
  const [file] = await Promise.all([import('./form/edit-app-dialog.tsx'), loadWords(['app-form'])]);
  return { default: file.EditAppDialog };
});

function countWords(t: Translate, all: number | undefined, found: number | undefined): string {
  if (all === undefined) return found === undefined ? '' : t('apps.found', { found });
  return found === undefined ? t('apps.count', { count: all }) : t('apps.count-found', { count: all, found });
}
