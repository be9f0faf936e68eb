/** What was begun in this tab and not finished: each goes on where it was left, or is dropped. */
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { useQueries } from '@tanstack/react-query';
import CircleX from 'lucide-react/icons/circle-x';
import X from 'lucide-react/icons/x';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import type { Kept } from '../../shared/enrolment/flow.ts';
import { dropFlow, type KeptFlow, useKeptFlows } from '../../shared/enrolment/kept-flows.ts';
import { keptCount, keptLabels, keptText, keptTokens } from '../../shared/enrolment/kept-parts.ts';
import { labelsOf } from '../../shared/enrolment/label-pair.ts';
import styles from './choose-screen.module.css';
import { findCard } from './discover-cards.ts';

export function UnderWay({ user }: { user: string }) {
  const t = useTranslate();
  const flows = Object.entries(useKeptFlows(user)).filter(([id, flow]) => findCard(id) && flow.step !== 'done');
  if (flows.length === 0) return null;
  return (
    <section className={styles.underWay} aria-labelledby="under-way">
      <h2 id="under-way" className={styles.underTitle}>
        {t('discover.under-way')} <span>{t('discover.under-way-text')}</span>
      </h2>
      <ul>
        {flows.map(([id, flow]) => (
          <BegunFlow key={id} id={id} flow={flow} onDrop={() => dropFlow(user, id)} />
        ))}
      </ul>
    </section>
  );
}

function BegunFlow({ id, flow: { step, kept }, onDrop }: { id: string; flow: KeptFlow; onDrop: () => void }) {
  const t = useTranslate();
  const follow = useFollow();
  const found = findCard(id);
  if (!found) return null;
  const title = t(found.card.title);
  const name = keptText(kept, 'name');
  const [thing, cluster] = [keptText(kept, 'id'), keptText(kept, 'cluster')];
  const place = { flow: id, step, id: thing || undefined, cluster: cluster || undefined };
  return (
    <li className={styles.begun}>
      <Icon of={found.card.icon} />
      <span className={styles.begunName}>
        <b>{name || title}</b> {name !== '' && <span>{title}</span>}
        {Object.entries(labelsOf(keptLabels(kept))).map(([label, value]) => (
          <LabelChip key={label} name={label} value={value} />
        ))}
      </span>
      <LeftAt step={step} kept={kept} />
      <Button
        size="small"
        aria-label={t('discover.go-on-with', { name: name || title })}
        onClick={() => follow(discoverPath(place))}
      >
        {t('discover.go-on')}
      </Button>
      <IconButton icon={X} size="small" label={t('discover.drop', { name: name || title })} onClick={onDrop} />
    </li>
  );
}

function LeftAt({ step, kept }: Pick<KeptFlow, 'step' | 'kept'>) {
  const t = useTranslate();
  const stopped = step === 'test' ? keptText(kept, 'stopped') : '';
  if (step === 'run') return <JoinedSoFar kept={kept} />;
  if (stopped === '') return <span>{t(`discover.left-at-${step}`)}</span>;
  return (
    <span className={styles.stopped}>
      <Icon of={CircleX} size={14} />
      <span>{t('discover.test-stopped', { why: stopped })}</span>
    </span>
  );
}

/** What has come of the command since; nothing is said of a token that is forgotten by now. */
function JoinedSoFar({ kept }: { kept: Kept }) {
  const t = useTranslate();
  const api = useApi();
  const asked = useQueries({
    queries: keptTokens(kept).map(({ id }) => ({
      queryKey: ['join-progress', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api(joinTokenRoutes.progress, { params: { id } }, signal),
      retry: false,
    })),
  });
  const heard = asked.flatMap(({ data }) => (data ? [data] : []));
  if (heard.length === 0) return <span>{t('discover.left-at-run')}</span>;
  const joined = heard.reduce((sum, { uses }) => sum + uses, 0);
  const refused = new Set(heard.flatMap((each) => each.refused.map(({ address, name }) => `${address} ${name}`))).size;
  const count = keptCount(kept);
  const words =
    count === undefined
      ? t('discover.under-joined', { count: joined })
      : t('discover.under-joined-of', { joined, count });
  return (
    <span className={styles.joined}>
      {count !== undefined && (
        <span className={styles.bar} aria-hidden="true">
          <i style={{ width: `${Math.min(1, joined / count) * 100}%` }} />
        </span>
      )}
      <span>{refused === 0 ? words : `${words}, ${t('discover.under-refused', { count: refused })}`}</span>
    </span>
  );
}
