/** Tries each hop to something while its address is being typed, and tells what came of every one. */
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { useQuery } from '@tanstack/react-query';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { asSentence, formatNumber } from '../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { type ConnectionStep, ConnectionSteps } from '../connection-steps/connection-steps.tsx';
import { useDebounced } from '../resource-list/use-debounced.ts';
import styles from './way-there.module.css';

/** The hand rests this long before something is dialled. */
const REST_MS = 600;

/** What the gateway tells of one hop. */
interface ToldHop {
  step: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  next: string;
  ms: number;
}

interface CheckHopsProps<Wanted> {
  /** Of whom, so that two forms share no answer. */
  of: readonly string[];
  /** What would be dialled; nothing while it is not an address, or where there is nothing to dial. */
  wanted: Wanted | undefined;
  /** The hops on this way, in their order. */
  hops: readonly { step: string; title: string }[];
  check: (wanted: Wanted, signal: AbortSignal) => Promise<{ steps: readonly ToldHop[] }>;
}

export function CheckHops<Wanted>({ of, wanted, hops, check }: CheckHopsProps<Wanted>) {
  const t = useTranslate();
  // As a text, which is the same when nothing of it has changed.
  const rested = useDebounced(JSON.stringify(wanted), REST_MS);
  const isRested = wanted !== undefined && rested === JSON.stringify(wanted);
  const checked = useQuery({
    queryKey: ['check-hops', ...of, rested],
    queryFn: ({ signal }) => (wanted === undefined ? { steps: [] } : check(wanted, signal)),
    enabled: isRested,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isRested) {
    return (
      <section className={styles.check} aria-label={t('way-there.check')}>
        <h3 className={styles.checkHead}>{t('way-there.check')}</h3>
        <p className={styles.lead}>{t('way-there.check-lead')}</p>
      </section>
    );
  }
  const steps = checked.isFetching ? undefined : checked.data?.steps;
  return (
    <section className={styles.check} aria-label={t('way-there.check')}>
      <div className={styles.checkHead}>
        <h3>{t('way-there.check')}</h3>
        {!checked.isFetching && (
          <TextButton onClick={() => void checked.refetch()}>{t('way-there.check-again')}</TextButton>
        )}
      </div>
      <div role="status">
        {checked.error && !checked.isFetching ? (
          <Notice tone="bad" announce="none">
            {failureWords(t, checked.error)}
          </Notice>
        ) : (
          <ConnectionSteps
            steps={hops.map(({ step, title }) => {
              const running = { id: step, title, status: undefined, statusWord: '' };
              return steps
                ? {
                    ...running,
                    ...told(
                      t,
                      steps.find((each) => each.step === step),
                    ),
                  }
                : running;
            })}
          />
        )}
      </div>
    </section>
  );
}

/** One that nothing was said of was not come to. */
function told(t: Translate, said: ToldHop | undefined): Omit<ConnectionStep, 'id' | 'title'> {
  const { status = 'skipped', ms = 0, message = '', next } = said ?? {};
  return {
    status,
    statusWord: t(`way-there.status-${status}`),
    time: status === 'skipped' ? undefined : t('way-there.step-ms', { ms: formatNumber(Math.round(ms)) }),
    text: message ? sentence(message) : status === 'skipped' ? t('way-there.step-not-tried') : undefined,
    next: next ? { word: t('way-there.step-next'), text: sentence(next) } : undefined,
  };
}

/** A sentence that begins with the name of a host keeps it as it is written. */
function sentence(message: string): string {
  return /^[a-z0-9-]+([.:]\S|\sis\s\d)/.test(message) ? `${message.replace(/\.$/, '')}.` : asSentence(message);
}
