/** Tries each hop to an application while its address is being typed, and tells what came of every one. */
import { APP_CHECK_STEPS, type AppCheckStep, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { asSentence, formatNumber } from '../../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { type ConnectionStep, ConnectionSteps } from '../../../shared/connection-steps/connection-steps.tsx';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import { type AppDraft, checkDraft, schemeOf } from './app-draft.ts';
import styles from './app-form.module.css';

type StepName = (typeof APP_CHECK_STEPS)[number];

/** The hand rests this long before something is dialled. */
const REST_MS = 600;

export function CheckHops({ clusterId, draft }: { clusterId: string; draft: AppDraft }) {
  const t = useTranslate();
  const api = useApi();
  const wanted = wantedOf(draft);
  // As a text, which is the same when nothing of it has changed.
  const rested = useDebounced(JSON.stringify(wanted), REST_MS);
  const isRested = wanted !== undefined && rested === JSON.stringify(wanted);
  const check = useQuery({
    queryKey: ['app-check', clusterId, rested],
    queryFn: ({ signal }) => api(appRoutes.check, { params: { clusterId }, body: wanted ?? { uri: '' } }, signal),
    enabled: isRested,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isRested) {
    return (
      <section className={styles.check} aria-label={t('app-form.check')}>
        <h3 className={styles.checkHead}>{t('app-form.check')}</h3>
        <p className={styles.lead}>{t('app-form.check-lead')}</p>
      </section>
    );
  }
  const steps = check.isFetching ? undefined : check.data?.steps;
  return (
    <section className={styles.check} aria-label={t('app-form.check')}>
      <div className={styles.checkHead}>
        <h3>{t('app-form.check')}</h3>
        {!check.isFetching && <TextButton onClick={() => void check.refetch()}>{t('app-form.check-again')}</TextButton>}
      </div>
      <div role="status">
        {check.error && !check.isFetching ? (
          <Notice tone="bad" announce="none">
            {failureWords(t, check.error)}
          </Notice>
        ) : (
          <ConnectionSteps
            steps={stepsOf(draft).map((step) =>
              steps
                ? toldStep(
                    t,
                    step,
                    steps.find((each) => each.step === step),
                  )
                : runningStep(t, step),
            )}
          />
        )}
      </div>
    </section>
  );
}

/** What would be dialled; nothing while it is not an address, or where there is nothing to dial. */
function wantedOf(draft: AppDraft) {
  const { app } = checkDraft({ ...draft, name: 'x', publicAddr: '', labels: [], headers: [], redirect: [] });
  if (!app || schemeOf(app.uri) === 'cloud') return undefined;
  const { uri, insecureSkipVerify, ca, serverName, through } = app;
  return { uri, insecureSkipVerify, ca, serverName, through };
}

/** Only those on this way: an agent where one dials, TLS where there is TLS. */
function stepsOf({ uri, through }: AppDraft): readonly StepName[] {
  const scheme = schemeOf(uri);
  return APP_CHECK_STEPS.filter((step) => {
    if (step === 'agent') return through.length > 0;
    if (step === 'tls') return scheme === 'https';
    return step !== 'http' || scheme !== 'tcp';
  });
}

function runningStep(t: Translate, step: StepName): ConnectionStep {
  return { id: step, title: t(`app-form.step-${step}`), status: undefined, statusWord: '' };
}

/** One that nothing was said of was not come to. */
function toldStep(t: Translate, step: StepName, said: AppCheckStep | undefined): ConnectionStep {
  const { status = 'skipped', ms = 0, message = '', next } = said ?? {};
  return {
    ...runningStep(t, step),
    status,
    statusWord: t(`app-form.status-${status}`),
    time: status === 'skipped' ? undefined : t('app-form.step-ms', { ms: formatNumber(Math.round(ms)) }),
    text: message ? sentence(message) : status === 'skipped' ? t('app-form.step-not-tried') : undefined,
    next: next ? { word: t('app-form.step-next'), text: sentence(next) } : undefined,
  };
}

/** A sentence that begins with the name of a host keeps it as it is written. */
function sentence(message: string): string {
  return /^[a-z0-9-]+([.:]\S|\sis\s\d)/.test(message) ? `${message.replace(/\.$/, '')}.` : asSentence(message);
}
