/** Applications as cards, as many as have been scrolled to; the rest is fetched when one comes near. */

import type { App } from '@gatehouse/contract/kinds/app/apps';
import type { Label } from '@gatehouse/contract/std/labels';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { LabelChips } from '@gatehouse/design/label-chips';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useKey } from '@gatehouse/design/use-key';
import type { RowRange, RowSource } from '@gatehouse/design/virtual-table';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AppBadges, shownAddress } from './app-address.tsx';
import { AppPicture } from './app-picture.tsx';
import styles from './apps.module.css';
import { OpenCell } from './open/open-cell.tsx';

interface AppCardsProps {
  label: string;
  source: RowSource<App>;
  isPending: boolean;
  isCurrent: (app: App) => boolean;
  isNew: (app: App) => boolean;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onOpen: (name: string) => void;
  onRange: (range: RowRange) => void;
  empty: ReactNode;
}

const AT_ONCE = 48;
const WAITING_CARDS = 8;
const CONTROL = '[data-card-control]';

export function AppCards({ label, source, isPending, onRange, empty, ...card }: AppCardsProps) {
  const [reached, setReached] = useState({ list: source.list, count: AT_ONCE });
  // Another list begins at its top.
  if (reached.list !== source.list) setReached({ list: source.list, count: AT_ONCE });
  const shown = Math.min(source.count, reached.count);
  const place = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => onRange({ first: 0, last: shown }), [onRange, shown]);
  useEffect(() => {
    const edge = end.current;
    if (!edge || shown >= source.count) return;
    const watch = new IntersectionObserver(
      (entries) =>
        entries.some(({ isIntersecting }) => isIntersecting) &&
        setReached((before) => ({ ...before, count: before.count + AT_ONCE })),
      { rootMargin: '600px' },
    );
    watch.observe(edge);
    return () => watch.disconnect();
  }, [shown, source.count]);
  useKey(['j', 'k'], (key) => moveFocus(place.current, key === 'j' ? 1 : -1), shown > 0);

  if (!isPending && source.count === 0) return <div className={styles.cardsEmpty}>{empty}</div>;
  const length = isPending && source.count === 0 ? WAITING_CARDS : shown;
  const slots = Array.from({ length }, (_, at) => ({ at, app: source.rowAt(at) }));
  return (
    <div className={styles.cardsScroll}>
      <ul ref={place} className={styles.cards} aria-label={label} aria-busy={isPending || undefined}>
        {slots.map(({ at, app }) =>
          app ? <AppCard key={app.name} app={app} {...card} /> : <WaitingCard key={`place-${at}`} />,
        )}
      </ul>
      <div ref={end} />
    </div>
  );
}

type AppCardProps = Pick<AppCardsProps, 'isCurrent' | 'isNew' | 'isPicked' | 'onPick' | 'onOpen'> & { app: App };

function AppCard({ app, isCurrent, isNew, isPicked, onPick, onOpen }: AppCardProps) {
  return (
    <li
      className={styles.card}
      aria-current={isCurrent(app) || undefined}
      data-new={isNew(app) || undefined}
      data-app={app.name}
    >
      <div className={styles.cardHead}>
        <AppPicture app={app} size="large" />
        <div className={styles.cardName}>
          <h2>
            <button
              type="button"
              data-card-control=""
              className={styles.cardOpen}
              title={app.name}
              onClick={() => onOpen(app.name)}
            >
              {app.name}
            </button>
          </h2>
          <span className={classNames(ONE_LINE, styles.mono)} title={shownAddress(app)}>
            {shownAddress(app)}
          </span>
        </div>
      </div>
      <p className={styles.cardText}>{app.description}</p>
      <div className={styles.cardLabels}>
        <LabelChips labels={app.labels} isActive={isPicked} onPick={onPick} />
      </div>
      <div className={styles.cardFoot}>
        <span className={styles.cardBadges}>
          <AppBadges app={app} />
        </span>
        <OpenCell app={app} />
      </div>
    </li>
  );
}

/** The same shape, so that nothing jumps. */
function WaitingCard() {
  return (
    <li className={styles.card} aria-busy="true">
      <div className={styles.cardHead}>
        <Skeleton width="36px" />
        <Skeleton width="60%" />
      </div>
      <Skeleton width="90%" />
      <Skeleton width="40%" />
    </li>
  );
}

function moveFocus(place: HTMLElement | null, by: number): void {
  const controls = Array.from(place?.querySelectorAll<HTMLElement>(CONTROL) ?? []);
  const card = document.activeElement?.closest('[data-app]');
  const at = controls.findIndex((control) => control.closest('[data-app]') === card);
  const next = at === -1 ? 0 : Math.max(0, Math.min(at + by, controls.length - 1));
  controls[next]?.focus();
}
