/** Manage Trusted Clusters: the roots whose people come in here and what their roles mean, and the leaves that joined this cluster. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { RemoteCluster } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Spinner } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import { TabLinks } from '@gatehouse/design/tab-links';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import { Suspense, useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import { useListAddress } from '../../shared/resource-list/list-search-params.ts';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { useShownRows } from '../../shared/resource-list/use-shown-rows.ts';
import { useLeaves, useRoots } from './cluster-queries.ts';
import { JoinLeafDialog } from './leaves/join-leaf-dialog.tsx';
import { LabelsDialog } from './leaves/labels-dialog.tsx';
import { LEAF_RULES, LeavesTable } from './leaves/leaves-table.tsx';
import { RemoveLeafDialog } from './leaves/remove-leaf-dialog.tsx';
import { ROOT_RULES, RootsTable } from './roots/roots-table.tsx';
import styles from './roots/trust.module.css';

/** The reader of YAML comes with the first map that is opened. */
const TrustEditor = lazyPart(
  () => import('./roots/trust-editor.tsx').then((file) => file.TrustEditor),
  ['document', 'resource-list'],
);

const TABS = ['roots', 'leaves'] as const;
const PATH = pagePath('trustedClusters');

export function TrustScreen() {
  const follow = useFollow();
  const roots = useRoots();
  const [{ open, doing }] = useListAddress(SORTS);
  if (roots.isError && !roots.data) throw roots.error;
  if (open === undefined && doing !== 'join') return <TrustLists />;
  const item = roots.data?.find(({ name }) => name === open);
  if (open !== undefined && !item) return roots.isPending ? <Waiting /> : <UnknownRoot name={open} />;
  return (
    <Suspense fallback={<Waiting />}>
      <TrustEditor
        key={open ?? ''}
        item={item}
        onBack={() => follow(PATH)}
        onSaved={({ name }) => item === undefined && follow(`${PATH}?open=${encodeURIComponent(name)}`)}
      />
    </Suspense>
  );
}

const SORTS = ['name', 'status', 'joined'] as const;

function TrustLists() {
  const t = useTranslate();
  const follow = useFollow();
  const { create: mayJoin } = useOwnUser().userAcl.trustedClusters;
  const [address, { searchFor, sortBy, openRow, start }] = useListAddress(SORTS);
  const tab = TABS.find((each) => each === address.tab) ?? 'roots';
  const roots = useRoots();
  const leaves = useLeaves();
  const shownRoots = useShownRows(roots.data ?? NONE, address.search, address.sort, ROOT_RULES);
  const shownLeaves = useShownRows(leaves.data ?? NONE, address.search, address.sort, LEAF_RULES);
  const [asking, setAsking] = useState<{ what: 'labels' | 'remove'; leaf: RemoteCluster }>();
  const [shortcuts] = usePreference('shortcuts');
  const starts = tab === 'roots' ? 'join' : 'token';
  useKey(['n'], () => start(starts), mayJoin && shortcuts !== 'off');
  if (leaves.isError && !leaves.data) throw leaves.error;

  const join = mayJoin && (
    <Button tone="primary" icon={Plus} onClick={() => start(starts)}>
      {t(tab === 'roots' ? 'trust.join' : 'clusters.join')}
    </Button>
  );
  const { shown, found } = tab === 'roots' ? shownRoots : shownLeaves;
  const all = (tab === 'roots' ? roots.data : leaves.data)?.length ?? 0;
  const noMatch = address.search !== '' && (
    <EmptyState
      icon={SearchX}
      title={t('clusters.no-match', { search: address.search })}
      actions={<Button onClick={() => searchFor('')}>{t('clusters.clear')}</Button>}
    />
  );
  const lists = { sort: address.sort, onSort: sortBy, noMatch, join };
  return (
    <ListFrame
      title={t('pages.trusted-clusters')}
      meta={t(tab === 'roots' ? 'trust.roots-lead' : 'trust.leaves-lead')}
      actions={all > 0 && join}
      tabs={
        <TabLinks
          label={t('pages.trusted-clusters')}
          links={TABS.map((each) => ({
            href: each === 'roots' ? PATH : `${PATH}?tab=${each}`,
            label: t(`trust.${each}`),
            count: (each === 'roots' ? roots : leaves).data?.length,
            current: each === tab,
          }))}
          onFollow={(href, event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            follow(href);
          }}
        />
      }
      tools={all > 0 && <SearchField key={tab} label={t('trust.search')} value={address.search} onSearch={searchFor} />}
    >
      {tab === 'roots' ? (
        <RootsTable
          {...lists}
          rows={shownRoots.shown}
          isLoading={roots.isPending}
          isFetching={roots.isFetching}
          onOpen={({ name }) => openRow(name)}
        />
      ) : (
        <LeavesTable
          {...lists}
          rows={shownLeaves.shown}
          isLoading={leaves.isPending}
          isFetching={leaves.isFetching}
          onLabels={(leaf) => setAsking({ what: 'labels', leaf })}
          onRemove={(leaf) => setAsking({ what: 'remove', leaf })}
        />
      )}
      <TableFoot
        keys={[
          ...(tab === 'roots'
            ? [
                { keys: LIST_KEYS.move, word: t('clusters.key-move') },
                { keys: LIST_KEYS.act, word: t('trust.key-open') },
              ]
            : []),
          ...(mayJoin
            ? [{ keys: LIST_KEYS.create, word: t(tab === 'roots' ? 'trust.key-join' : 'clusters.key-join') }]
            : []),
          { keys: LIST_KEYS.all, word: t('clusters.key-all') },
        ]}
      >
        {t('clusters.shown', { shown: shown.length, found })}
      </TableFoot>
      {address.doing === 'token' && mayJoin && <JoinLeafDialog onClose={() => start(undefined)} />}
      {asking?.what === 'labels' && <LabelsDialog leaf={asking.leaf} onClose={() => setAsking(undefined)} />}
      {asking?.what === 'remove' && <RemoveLeafDialog leaf={asking.leaf} onClose={() => setAsking(undefined)} />}
    </ListFrame>
  );
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <Spinner size="large" />
    </div>
  );
}

function UnknownRoot({ name }: { name: string }) {
  const t = useTranslate();
  const follow = useFollow();
  return (
    <div className={styles.waiting}>
      <StatusCard
        title={t('trust.unknown', { root: name })}
        actions={<Button onClick={() => follow(PATH)}>{t('trust.all')}</Button>}
      >
        {t('trust.unknown-text')}
      </StatusCard>
    </div>
  );
}

const NONE: readonly never[] = [];
