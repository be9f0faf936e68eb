/** Who could sign in to a server by other labels, and who no longer could: asked of the gateway, which changes nothing by it. */
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { Notice } from '@gatehouse/design/notice';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { EffectLine } from '../../../shared/access-questions/effect-line.tsx';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import styles from './label-effects.module.css';

const PAUSE_MS = 300;

export function LabelEffects({ node, labels }: { node: Node; labels: Record<string, string> }) {
  const t = useTranslate();
  const api = useApi();
  const text = JSON.stringify(labels);
  const settled = useDebounced(text, PAUSE_MS);
  const answer = useQuery({
    queryKey: ['access', 'label-effects', node.siteId, node.id, settled],
    queryFn: ({ signal }) => {
      const body = { labels: JSON.parse(settled) as Record<string, string>, dryRun: true };
      return api(nodeRoutes.update, { params: { clusterId: node.siteId, id: node.id }, body }, signal);
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (answer.error) return <Notice tone="bad">{failureWords(t, answer.error)}</Notice>;
  const effects = answer.data?.effects;
  const isBehind = text !== settled || answer.isFetching;
  return (
    <section className={styles.effects} aria-label={t('edit-server.effects')} aria-busy={isBehind}>
      <h3 className={styles.heading}>{t('edit-server.effects')}</h3>
      {!effects && <p className={styles.faint}>{t('edit-server.effects-asking')}</p>}
      {effects && effects.items.length === 0 && effects.hidden === 0 && (
        <p className={styles.faint}>{t('edit-server.effects-none')}</p>
      )}
      {effects && (
        <ul className={styles.list}>
          {effects.items.map(({ user, gained, lost }) => (
            <li key={user}>
              {gained.length > 0 && (
                <EffectLine side="gained">{t('edit-server.gains', { user, logins: namesOf(t, gained) })}</EffectLine>
              )}
              {lost.length > 0 && (
                <EffectLine side="lost">{t('edit-server.loses', { user, logins: namesOf(t, lost) })}</EffectLine>
              )}
            </li>
          ))}
        </ul>
      )}
      {effects && effects.hidden > 0 && (
        <p className={styles.faint}>{t('edit-server.effects-hidden', { count: effects.hidden })}</p>
      )}
      {effects?.items.some(({ lost }) => lost.length > 0) && <p className={styles.faint}>{t('edit-server.ends')}</p>}
    </section>
  );
}

function namesOf(t: Translate, logins: readonly string[]): string {
  return logins.map((login) => (login === '*' ? t('edit-server.any') : login)).join(', ');
}
