/** The frame of a browsed cluster: which it is, what of it is shown, in which namespaces; a list with its details, or one object. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { Button } from '@gatehouse/design/button';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { Switch } from '@gatehouse/design/switch';
import { TabLinks } from '@gatehouse/design/tab-links';
import { useKey } from '@gatehouse/design/use-key';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import Plus from 'lucide-react/icons/plus';
import { type MouseEvent, Suspense, useMemo, useState } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import { LineBanner } from '../../../shared/line/line-banner.tsx';
import { ListFrame } from '../../../shared/resource-list/list-frame.tsx';
import { SearchField } from '../../../shared/resource-list/search-field.tsx';
import { MAX_NAMESPACES, MORE_VIEW, type UsedAddress, useBrowseAddress, WORKLOADS_VIEW } from './address.ts';
import styles from './browse.module.css';
import { useBrowse } from './browse.ts';
import { KindChooser } from './kind-chooser.tsx';
import { kindOfSlug } from './kinds.ts';
import type { LineState } from './line/browse-line.ts';
import { KindList } from './lists/kind-list.tsx';
import { Workloads } from './lists/workloads.tsx';
import { NamespacePicker } from './namespaces/namespace-picker.tsx';
import { IconLink } from './object/icon-link.tsx';
import { ObjectPage } from './object/object-page.tsx';
import { ObjectPanel } from './object/object-panel.tsx';
import { useKinds } from './use-kinds.ts';
import { type Namespaces, useNamespaces } from './use-namespaces.ts';

const VIEWS = [WORKLOADS_VIEW, 'pods', 'services', 'nodes', 'events'] as const;
const DOTS: Record<LineState['is'], DotState> = {
  ...{ connecting: 'busy', ready: 'ok', lost: 'off', ended: 'off', refused: 'bad' },
} as const;
const ALL: readonly string[] = [''];

const CreateDialog = lazyPart(() => import('./object/create-dialog.tsx').then((file) => file.CreateDialog));

export function BrowsePage() {
  const t = useTranslate();
  const browse = useBrowse();
  const view = useStore(browse.view);
  const used = useBrowseAddress();
  const { shown, cluster } = used;
  const isNothing = view.line.is === 'refused' && view.ready === undefined;
  return (
    <div className={styles.screen}>
      <LineBanner
        line={view.line}
        name={cluster}
        page="kubernetes"
        onAgain={browse.again}
        lost={{ title: t('kube-browse.lost'), text: t('kube-browse.lost-text') }}
        ended={{ title: t('kube-browse.ended'), text: ({ message }) => asSentence(message) }}
      />
      {isNothing ? (
        // Nothing of it is there but the way back.
        <ListFrame title={<ClusterTitle used={used} />}>{null}</ListFrame>
      ) : shown ? (
        <Shown used={used} />
      ) : (
        <Listed used={used} dot={DOTS[view.line.is]} version={view.ready?.version ?? ''} />
      )}
      {view.challenge && (
        <Suspense>
          <FactorQuestion
            name={cluster}
            challenge={view.challenge}
            onAnswer={browse.answerFactor}
            onClose={browse.giveUp}
          />
        </Suspense>
      )}
      {view.ready && (
        <p className={styles.who}>
          {t('kube-browse.who', { user: view.ready.user, groups: view.ready.groups.join(', ') || '–' })}
        </p>
      )}
    </div>
  );
}

function ClusterTitle({ used: { clusterId, cluster } }: { used: UsedAddress }) {
  const t = useTranslate();
  return (
    <span className={styles.title}>
      <IconLink icon={ChevronLeft} label={t('kube-browse.all-clusters')} path={pagePath('kubernetes', { clusterId })} />
      {cluster}
    </span>
  );
}

/** One object by itself. */
function Shown({ used }: { used: UsedAddress }) {
  const t = useTranslate();
  const { shown, view } = used;
  const kinds = useKinds(kindOfSlug(view) === undefined);
  const kind = kindOfSlug(view, kinds.found);
  if (!shown || !kind)
    return <p className={styles.unknown}>{t(kinds.isAsked ? 'kube-browse.no-kind' : 'kube-browse.listing')}</p>;
  return <ObjectPage key={`${shown.slug} ${shown.namespace} ${shown.name}`} kind={kind} at={shown} used={used} />;
}

interface ListedProps {
  used: UsedAddress;
  dot: DotState;
  version: string;
}

function Listed({ used, dot, version }: ListedProps) {
  const t = useTranslate();
  const { cluster, view, address, actions, listPath, follow } = used;
  const { known } = useNamespaces();
  const isUnknown = view !== WORKLOADS_VIEW && kindOfSlug(view) === undefined;
  const kinds = useKinds(isUnknown);
  const kind = kindOfSlug(view, kinds.found);
  const openKind = address.open && kindOfSlug(address.open.slug, kinds.found);
  const namespaces = useListed(known, address.namespaces);
  const [isCreating, setCreating] = useState(false);
  useKey(['Escape'], () => actions.open(undefined), address.open !== undefined);
  const isCustom = kind !== undefined && !(VIEWS as readonly string[]).includes(view);
  const links = [
    ...VIEWS.map((each) => ({ href: listPath(each), label: t(`kube-browse.view-${each}`), current: each === view })),
    ...(isCustom ? [{ href: listPath(view), label: kind.resource, current: true }] : []),
    { href: listPath(MORE_VIEW), label: t('kube-browse.view-more'), current: view === MORE_VIEW },
  ];
  const onFollow = (href: string, event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    follow(href);
  };
  return (
    <ListFrame
      title={<ClusterTitle used={used} />}
      meta={
        <span className={styles.meta}>
          <StatusDot state={dot} wordHidden>
            {t(`kube-browse.line-${dot}`)}
          </StatusDot>
          {version}
        </span>
      }
      actions={
        <>
          <NamespacePicker known={known} chosen={address.namespaces} onChoose={actions.choose} />
          <Button icon={Plus} onClick={() => setCreating(true)}>
            {t('kube-browse.create')}
          </Button>
        </>
      }
      tabs={<TabLinks label={cluster} links={links} onFollow={onFollow} />}
      tools={
        view !== MORE_VIEW && (
          <>
            <SearchField label={t('kube-browse.search')} value={address.search} onSearch={actions.search} />
            <Switch label={t('kube-browse.trouble')} checked={address.isTrouble} onCheckedChange={actions.trouble} />
          </>
        )
      }
      panel={
        address.open &&
        openKind && (
          <ObjectPanel
            key={`${address.open.slug} ${address.open.namespace} ${address.open.name}`}
            kind={openKind}
            at={address.open}
            used={used}
          />
        )
      }
    >
      {view === MORE_VIEW && <KindChooser kinds={kinds} listPath={listPath} />}
      {view === WORKLOADS_VIEW && namespaces && (
        <Workloads key={namespaces.join()} namespaces={namespaces} used={used} />
      )}
      {kind && namespaces && (
        <KindList key={`${view} ${namespaces.join()}`} kind={kind} namespaces={namespaces} used={used} />
      )}
      {isUnknown && view !== MORE_VIEW && !kind && (
        <p className={styles.unknown}>{t(kinds.isAsked ? 'kube-browse.no-kind' : 'kube-browse.listing')}</p>
      )}
      {namespaces?.length === 0 && view !== MORE_VIEW && (
        <p className={styles.unknown}>{t('kube-browse.type-namespace')}</p>
      )}
      {isCreating && (
        <Suspense>
          <CreateDialog
            namespace={namespaces?.length === 1 ? (namespaces[0] ?? '') : ''}
            onClose={() => setCreating(false)}
            onMade={(at) => follow(used.objectPath(at))}
          />
        </Suspense>
      )}
    </ListFrame>
  );
}

/** What is asked for: those that were chosen, or all; where all may not be asked for, each that is known. Nothing until that is known. */
function useListed(known: Namespaces | undefined, chosen: readonly string[]): readonly string[] | undefined {
  return useMemo(() => {
    if (chosen.length > 0) return chosen;
    if (!known) return undefined;
    return known.isAll ? ALL : known.names.slice(0, MAX_NAMESPACES);
  }, [known, chosen]);
}
