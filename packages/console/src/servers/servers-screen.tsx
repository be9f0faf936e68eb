/** Servers: every one the user can reach, found by a few letters or a label, and connected to. */
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
import { Freshness } from '../resource-list/freshness.tsx';
import { ListFrame } from '../resource-list/list-frame.tsx';
import { createInSight, RangeWords } from '../resource-list/range-words.tsx';
import { useUser } from '../sign-in/user.ts';
import { loadWords, useWords } from '../words/words.ts';
import { usePreference } from '../world/preferences.ts';
import type { Connecting } from './connect/connect-cell.tsx';
import { useLoginMemory } from './connect/login-memory.ts';
import { QuickConnect } from './connect/quick-connect.tsx';
import { NoMatch, NoServers } from './no-servers.tsx';
import { useServerColumns } from './server-columns.tsx';
import { serverKey, useServerCount, useServers } from './server-queries.ts';
import styles from './servers.module.css';
import { useServersAddress } from './servers-address.ts';

const NO_FILTER = { search: '', query: '' };

export function ServersScreen() {
  const t = useWords();
  const { clusterId } = usePageParams('nodes');
  const { userAcl } = useUser();
  const [address, { filter, sortBy, open, start }] = useServersAddress();
  const servers = useServers(clusterId, address);
  const { source, onRange, error } = servers;
  const isFiltered = address.search !== '' || address.query !== '';
  const all = useServerCount(clusterId, isFiltered);
  const [memory, onConnect] = useLoginMemory();
  const [inSight] = useState(createInSight);
  const [shortcuts] = usePreference('shortcuts');
  const mayAdd = userAcl.tokens.create;
  const mayTest = userAcl.connectionDiagnostic.create;

  const shownFilter = useMemo(() => readFilter(address), [address]);
  const isPicked = useCallback((label: Label) => hasLabel(shownFilter, label), [shownFilter]);
  const pick = useCallback(
    (label: Label) => filter(writeFilter(toggleLabel(shownFilter, label)), 'push'),
    [filter, shownFilter],
  );
  const connecting = useMemo<Connecting>(
    () => ({ memory, onConnect, ...(mayTest ? { onTest: (node) => open(node.id, 'test') } : {}) }),
    [memory, onConnect, mayTest, open],
  );
  const columns = useServerColumns({ isNarrow: address.open !== undefined, isPicked, onPick: pick, connecting });
  const look = useCallback(
    (range: RowRange) => {
      inSight.tell(range);
      onRange(range);
    },
    [inSight, onRange],
  );
  useKey(['Escape'], () => open(undefined), address.open !== undefined);
  useKey(['n'], () => start('add'), mayAdd && shortcuts !== 'off');
  // Without anything to show, what failed is the whole screen: the shell shows it and offers another try.
  if (error && source.list === '' && !isFiltered) throw error;

  const { count } = source;
  const isEmpty = source.list !== '' && count === 0 && !isFiltered;
  const add = mayAdd ? () => start('add') : undefined;
  return (
    <ListFrame
      title={t('pages.nodes')}
      meta={source.list !== '' && !isEmpty && countWords(t, isFiltered ? all : count, isFiltered ? count : undefined)}
      actions={
        // There is one main action, and where there is nothing else it stands in the middle.
        add &&
        !isEmpty && (
          <Button tone="primary" icon={Plus} onClick={add}>
            {t('servers.add')}
          </Button>
        )
      }
      tools={
        !isEmpty && (
          <FilterField
            label={t('servers.search')}
            value={address}
            onFilter={filter}
            error={error && isFiltered ? failureWords(t, error) : undefined}
          >
            <div className={styles.toolsEnd}>
              <Freshness updatedAt={servers.updatedAt} isFetching={servers.isFetching} onRefresh={servers.refresh} />
              <QuickConnect clusterId={clusterId} memory={memory} onConnect={onConnect} />
            </div>
          </FilterField>
        )
      }
      panel={
        address.open !== undefined && (
          <Suspense>
            <ServerPanel
              key={address.open}
              clusterId={clusterId}
              id={address.open}
              tab={address.tab}
              known={knownServer(source, address.open)}
              connecting={connecting}
              isPicked={isPicked}
              onPick={pick}
              onTab={(tab) => open(address.open, tab)}
              onClose={() => open(undefined)}
            />
          </Suspense>
        )
      }
    >
      {isEmpty ? (
        <NoServers onAdd={add} />
      ) : (
        <>
          <VirtualTable
            label={t('pages.nodes')}
            columns={columns}
            source={source}
            rowKey={serverKey}
            onRange={look}
            sort={address.sort}
            onSortChange={sortBy}
            onOpenRow={({ id }) => open(id)}
            isCurrent={({ id }) => id === address.open}
            isNew={servers.isNew}
            loading={servers.isPending}
            refreshing={servers.isFetching}
            className={styles.table}
            empty={
              isFiltered ? <NoMatch all={all} onClear={() => filter(NO_FILTER, 'push')} /> : <NoServers onAdd={add} />
            }
          />
          <TableFoot
            keys={[
              { keys: ['J', 'K'], word: t('servers.key-move') },
              { keys: ['↵'], word: t('servers.key-connect') },
              { keys: ['Space'], word: t('servers.key-details') },
              { keys: ['@'], word: t('servers.key-quick') },
              { keys: ['?'], word: t('servers.key-all') },
            ]}
          >
            <RangeWords inSight={inSight} count={count} />
          </TableFoot>
        </>
      )}
      <span role="status">
        <VisuallyHidden>{source.list !== '' && t('servers.found', { found: count })}</VisuallyHidden>
      </span>
      {address.doing === 'add' && mayAdd && (
        <Suspense>
          <AddServerDialog clusterId={clusterId} connecting={connecting} onClose={() => start(undefined)} />
        </Suspense>
      )}
    </ListFrame>
  );
}

const ServerPanel = lazy(async () => {
  const [file] = await Promise.all([
    import('./panel/server-panel.tsx'),
    loadWords(['server-panel', 'access', 'webauthn']),
  ]);
  return { default: file.ServerPanel };
});
const AddServerDialog = lazy(async () => {
  const [file] = await Promise.all([import('./add/add-server-dialog.tsx'), loadWords(['add-server'])]);
  return { default: file.AddServerDialog };
});

function countWords(t: ReturnType<typeof useWords>, all: number | undefined, found: number | undefined): string {
  if (all === undefined) return found === undefined ? '' : t('servers.found', { found });
  return found === undefined ? t('servers.count', { count: all }) : t('servers.count-found', { count: all, found });
}

function knownServer(source: ReturnType<typeof useServers>['source'], id: string) {
  const index = source.indexOf(id);
  return index === undefined ? undefined : source.rowAt(index);
}
