/** Manage Auth Connectors: each sign-in provider as a card, with how it is doing, and a way to add another. */
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { PageHeader } from '@gatehouse/design/page-header';
import { Skeleton } from '@gatehouse/design/skeleton';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import { useEffect, useRef, useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type SearchTexts, useFollow, useSearch } from '../../platform/routing/routing.tsx';
import { usePageConfig, useUser } from '../../platform/sign-in/user.ts';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import { AddProvider, NoConnectors } from './add-provider.tsx';
import { ConnectorCard } from './connector-card.tsx';
import { connectorPath } from './connector-paths.ts';
import { useConnectors } from './connector-queries.ts';
import styles from './connectors.module.css';
import { DeleteConnectorDialog } from './delete-connector-dialog.tsx';

export function ConnectorsScreen() {
  const t = useTranslate();
  const follow = useFollow();
  const { create: mayCreate, edit: mayEdit } = useUser().userAcl.authConnectors;
  const { localAuthEnabled } = usePageConfig().auth;
  const connectors = useConnectors();
  const [deleting, setDeleting] = useState<ConnectorItem>();
  const place = useRef<HTMLUListElement>(null);
  const [shortcuts] = usePreference('shortcuts');
  const hasKeys = shortcuts !== 'off';
  useKey(['j', 'k'], (key) => moveFocus(place.current, key === 'j' ? 1 : -1), hasKeys);
  useKey(
    ['t'],
    () => {
      const at = cardsIn(place.current).findIndex((card) => card.contains(document.activeElement));
      const item = connectors.data?.[at];
      if (item) follow(connectorPath(item, 'test'));
    },
    hasKeys && mayEdit,
  );
  const items = connectors.data;
  const [{ made }, setSearch] = useSearch(parseMade);
  // Once: from then on the focus is wherever it is moved to.
  const isThere = made !== undefined && items?.some(({ id }) => id === made);
  useEffect(() => {
    if (!isThere) return;
    const card = cardsIn(place.current).find((each) => each.dataset.card === made);
    card?.querySelector('a')?.focus();
    void setSearch({ made: undefined });
  }, [isThere, made, setSearch]);
  if (connectors.isError && !connectors.data) throw connectors.error;
  const users = items?.reduce((sum, item) => sum + (item.users ?? 0), 0) ?? 0;
  return (
    <div className={styles.screen}>
      <PageHeader
        title={t('pages.connectors')}
        meta={items ? t('connectors.count', { count: items.length, users }) : '\u00a0'}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard where no card is focused */}
      <div className={styles.scroll} tabIndex={0}>
        {items?.length === 0 ? (
          <NoConnectors mayCreate={mayCreate} />
        ) : (
          <>
            <p className={styles.lead}>{t('connectors.lead')}</p>
            <ul ref={place} className={styles.cards} aria-label={t('pages.connectors')}>
              {items?.map((item) => (
                <li key={item.id}>
                  <ConnectorCard item={item} onDelete={() => setDeleting(item)} />
                </li>
              )) ?? [1, 2, 3].map((at) => <li key={at}>{<Skeleton height={196} radius={12} />}</li>)}
            </ul>
            {items && mayCreate && <AddProvider />}
          </>
        )}
      </div>
      {items && items.length > 0 && (
        <TableFoot
          keys={[
            { keys: LIST_KEYS.move, word: t('access.key-move') },
            { keys: LIST_KEYS.act, word: t('access.key-open') },
            ...(mayEdit ? [{ keys: ['T'], word: t('connectors.key-test') }] : []),
            { keys: LIST_KEYS.all, word: t('access.key-all') },
          ]}
        >
          {t(localAuthEnabled ? 'connectors.local-on' : 'connectors.local-off')}
        </TableFoot>
      )}
      {deleting && <DeleteConnectorDialog item={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

/** The one that was just made. */
function parseMade({ made }: SearchTexts): { made: string | undefined } {
  return { made: made || undefined };
}

function cardsIn(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('[data-card]') ?? [])];
}

/** The first card when none has the focus yet. */
function moveFocus(place: HTMLElement | null, by: 1 | -1): void {
  const cards = cardsIn(place);
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.max(0, Math.min(at + by, cards.length - 1));
  cards[next]?.querySelector('a')?.focus();
}
