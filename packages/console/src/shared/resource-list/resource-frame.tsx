/** The frame of a screen that lists resources: how many there are, the main action, the filter, and what was found. */
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Plus from 'lucide-react/icons/plus';
import { Fragment, type ReactNode, Suspense } from 'react';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import { FilterField } from './filter-field.tsx';
import { Freshness } from './freshness.tsx';
import { ListFrame } from './list-frame.tsx';
import styles from './resource-frame.module.css';
import type { ResourceScreen } from './use-resource-screen.ts';

/** What the panel of the one that is open is told. */
export interface OpenResource {
  clusterId: string;
  /** What the address and calls name it by. */
  name: string;
  tab: string | undefined;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onTab: (tab: string | undefined) => void;
  onClose: () => void;
}

interface ResourceFrameProps<T> {
  screen: ResourceScreen<T>;
  /** How many there are, where there is more to say of them than that. */
  allWords?: string | undefined;
  /** Before the main action, and while there is nothing in the list as well. */
  further?: ReactNode;
  /** Beside the filter, where there is more than how fresh it is. */
  tools?: ReactNode;
  panel: (opened: OpenResource) => ReactNode;
  children: ReactNode;
}

export function ResourceFrame<T>({ screen, allWords, further, tools, panel, children }: ResourceFrameProps<T>) {
  const t = useTranslate();
  const { kind, clusterId, address, actions, rows, isFiltered, isEmpty, isPicked, onPick, add } = screen;
  const name = address.open;
  const isThere = rows.source.list !== '';
  return (
    <ListFrame
      title={t(useKinds()[kind.kind].screen.title)}
      meta={isThere && !isEmpty && ((!isFiltered && allWords) || countWords(t, screen))}
      actions={
        <>
          {further}
          {/* There is one main action, and where there is nothing else it stands in the middle. */}
          {add && !isEmpty && (
            <Button tone="primary" icon={Plus} onClick={add}>
              {t(`${kind.words}.add`)}
            </Button>
          )}
        </>
      }
      isEmpty={isEmpty}
      tools={
        <FilterField
          label={t(`${kind.words}.search`)}
          value={address}
          onFilter={actions.filter}
          error={rows.error && isFiltered ? failureWords(t, rows.error) : undefined}
        >
          {tools ?? (
            <span className={styles.fresh}>
              <Freshness updatedAt={rows.updatedAt} isFetching={rows.isFetching} onRefresh={rows.refresh} />
            </span>
          )}
        </FilterField>
      }
      panel={
        name !== undefined && (
          <Suspense>
            <Fragment key={name}>
              {panel({
                ...{ clusterId, name, tab: address.tab, isPicked, onPick },
                onTab: (tab) => actions.open(name, tab),
                onClose: () => actions.open(undefined),
              })}
            </Fragment>
          </Suspense>
        )
      }
    >
      {children}
      <span role="status">
        <VisuallyHidden>{isThere && t(`${kind.words}.found`, { found: rows.source.count })}</VisuallyHidden>
      </span>
    </ListFrame>
  );
}

function countWords<T>(t: Translate, { kind, rows, isFiltered, all }: ResourceScreen<T>): string {
  const found = rows.source.count;
  if (!isFiltered) return t(`${kind.words}.count`, { count: found });
  if (all === undefined) return t(`${kind.words}.found`, { found });
  return t(`${kind.words}.count-found`, { count: all, found });
}
