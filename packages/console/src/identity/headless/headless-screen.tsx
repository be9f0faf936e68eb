/** Lets a person approve one session of a command on a machine without a browser, by a hardware key. */

import { HEADLESS_STATES, headlessRoutes } from '@gatehouse/contract/identity/headless';
import { CallError } from '@gatehouse/contract/wire/client';
import { StatusCard } from '@gatehouse/design/status-card';
import { useQuery } from '@tanstack/react-query';
import Clock from 'lucide-react/icons/clock';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageParams } from '../../platform/routing/routing.tsx';
import { HeadlessQuestion } from './headless-question.tsx';
import styles from './headless-screen.module.css';

/** Often enough to see that it was answered elsewhere, or is too late. */
const ASK_EVERY_MS = 5_000;

export function HeadlessScreen() {
  const t = useTranslate();
  const { requestId } = usePageParams('headless');
  const api = useApi();
  const query = useQuery({
    queryKey: ['headless', 'request', requestId],
    // One that nobody knows is an answer too, not a failure.
    queryFn: ({ signal }) =>
      api(headlessRoutes.get, { params: { requestId } }, signal).catch((error: unknown) => {
        if (error instanceof CallError && error.code === 'bad_request') return null;
        throw error;
      }),
    throwOnError: true,
    refetchInterval: ({ state }) => (state.data?.state === HEADLESS_STATES.pending ? ASK_EVERY_MS : false),
  });
  const request = query.data;

  return (
    <div className={styles.place}>
      {request === undefined && (
        <StatusCard icon={SquareTerminal} title={t('headless.not-yet-title')}>
          {t('headless.not-yet-text')}
        </StatusCard>
      )}
      {request === null && (
        <StatusCard icon={Clock} tone="warn" title={t('headless.gone-title')}>
          {t('headless.gone-text')}
        </StatusCard>
      )}
      {request?.state === HEADLESS_STATES.pending && request.gatehouse && (
        <HeadlessQuestion requestId={requestId} address={request.client_ip_address} asked={request.gatehouse} />
      )}
      {request?.state === HEADLESS_STATES.approved && (
        <StatusCard tone="ok" title={t('headless.accepted-title')}>
          {t('headless.accepted-text')}
        </StatusCard>
      )}
      {request?.state === HEADLESS_STATES.denied && (
        <StatusCard tone="info" title={t('headless.denied-title')}>
          {t('headless.denied-text')}
        </StatusCard>
      )}
    </div>
  );
}
