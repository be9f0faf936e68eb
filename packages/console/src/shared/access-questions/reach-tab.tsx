/** What a user can reach, by kind, and the answer to whether they can reach one thing and why. */
import { explainRoutes, type ResourceItem } from '@gatehouse/contract/access/explain/explain';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { formatNumber } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageCluster } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import { nameList } from './answer-words.ts';
import { CheckAccess } from './check-access.tsx';

const PAGE = 50;

export function ReachTab({ user }: { user: string }) {
  const t = useTranslate();
  const [kind, setKind] = useState<Kind>();
  const [picked, setPicked] = useState<ResourceItem>();
  const reach = useReach(user, kind);
  const first = reach.data?.pages[0];
  const items = reach.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = kinds.filter((each) => (first?.counts[each] ?? 0) > 0);
  return (
    <div className={styles.stack}>
      <section className={styles.section} aria-label={t('access.check-title')}>
        <h3 className={styles.title}>{t('access.check-title')}</h3>
        <CheckAccess
          key={picked ? `${picked.kind} ${picked.id}` : ''}
          user={user}
          {...(picked ? { resource: picked } : {})}
        />
      </section>
      <section className={styles.section} aria-label={t('access.reach-title')}>
        <h3 className={styles.title}>{t('access.reach-title')}</h3>
        {reach.isPending && <Spinner />}
        {reach.isError && <Notice tone="bad">{failureWords(t, reach.error)}</Notice>}
        {first && shown.length === 0 && <p className={styles.lead}>{t('access.reach-nothing')}</p>}
        {first && shown.length > 0 && (
          <div className={styles.kinds}>
            {shown.map((each) => (
              <button
                key={each}
                type="button"
                className={styles.kind}
                aria-pressed={each === first.kind}
                onClick={() => setKind(each)}
              >
                {t(`access.kind-${each}`)}
                <span className={styles.count}>{formatNumber(first.counts[each] ?? 0)}</span>
              </button>
            ))}
          </div>
        )}
        <ul className={styles.items}>
          {items.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                className={styles.item}
                title={t('access.pick', { name: item.name })}
                onClick={() => setPicked(item)}
              >
                <span>{item.name}</span>
                <span className={styles.names}>{nameList(t, item.names)}</span>
              </button>
            </li>
          ))}
        </ul>
        {reach.hasNextPage && (
          <div>
            <Button size="small" loading={reach.isFetchingNextPage} onClick={() => void reach.fetchNextPage()}>
              {t('access.show-more')}
            </Button>
          </div>
        )}
      </section>
    </div>
  );
}

function useReach(user: string, kind: Kind | undefined) {
  const api = useApi();
  const clusterId = usePageCluster();
  return useInfiniteQuery({
    queryKey: ['access', 'reach', clusterId, user, kind],
    queryFn: ({ pageParam, signal }) => {
      const body = { user, limit: PAGE, startKey: pageParam, ...(kind ? { kind } : {}) };
      return api(explainRoutes.reach, { params: { clusterId }, body }, signal);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.startKey || undefined,
    // Another kind keeps the counts of the last answer on the screen until its own are there.
    placeholderData: (before) => before,
  });
}
