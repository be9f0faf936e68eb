/** Opens an application: asks the gateway for the way in, and goes there as a whole page. What is refused is said on a card. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { CallError } from '@gatehouse/contract/wire/client';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Mark } from '@gatehouse/design/mark';
import { Spinner } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import { useQuery } from '@tanstack/react-query';
import Lock from 'lucide-react/icons/lock';
import { Suspense, useEffect, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type SearchTexts, usePageParams, useSearch } from '../../../platform/routing/routing.tsx';
import { usePageConfig } from '../../../platform/sign-in/user.ts';
import { TestIt } from '../../../shared/connection-steps/test-it.tsx';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import { fewQuery } from '../../../shared/resource-list/resource-queries.ts';
import { APPS } from '../app-queries.ts';
import styles from './launch-screen.module.css';

export function LaunchScreen() {
  const t = useTranslate();
  const { leave } = useBrowser();
  const { fqdn = '', clusterId = '', publicAddr = '', arn = '' } = usePageParams('launch');
  const [asked] = useSearch(readAsked);
  const api = useApi();
  const [question, setQuestion] = useState<Question>();
  const { proxyCluster } = usePageConfig();
  const way = useQuery({
    queryKey: ['launch', fqdn, clusterId, publicAddr, arn, asked],
    queryFn: async ({ signal }) => {
      const body = { fqdn, cluster_name: clusterId, public_addr: publicAddr, arn, ...asked };
      const ask = async (factor?: FactorAnswer) =>
        (await api(appRoutes.launch, { body: { ...body, ...(factor ? { factor } : {}) } }, signal)).url;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== 'mfa_required') throw error;
        const challenge = await api(mfaRoutes.challenge, {}, signal);
        const answered = Promise.withResolvers<FactorAnswer>();
        setQuestion({ challenge, ...answered });
        // Refused without an answer, the card says what was asked for.
        const factor = await answered.promise.catch(() => Promise.reject(error));
        setQuestion(undefined);
        return await ask(factor);
      }
    },
    // A code works once: whatever comes of it, it is not asked for a second time by itself.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const url = way.data;
  const isWeb = url !== undefined && /^https?:\/\//i.test(url);
  useEffect(() => {
    if (isWeb) leave(url);
  }, [isWeb, url, leave]);

  const app = fqdn.split(':', 1)[0] ?? fqdn;
  const requestId = refusalOf(way.error)?.requestId;
  const message = way.error ? failureWords(t, way.error) : url !== undefined && !isWeb && t('launch.refused');
  return (
    <main className={styles.page}>
      <Mark size={32} />
      {message ? (
        <StatusCard
          tone="bad"
          icon={Lock}
          title={t('common.access-denied-title')}
          actions={
            <>
              <ButtonLink href={pagePath('apps', { clusterId: clusterId || proxyCluster })}>
                {t('launch.back')}
              </ButtonLink>
              <TestRefused clusterId={clusterId || proxyCluster} host={app} />
              <ButtonLink tone="primary" href={window.location.href}>
                {t('common.try-again')}
              </ButtonLink>
            </>
          }
        >
          <p>{message}</p>
          {requestId && <p className={styles.quote}>{t('common.error-id', { id: requestId })}</p>}
        </StatusCard>
      ) : (
        <div className={styles.opening} role="status">
          <Spinner delay="none" />
          <h1 className={styles.title}>{t('launch.opening', { app })}</h1>
        </div>
      )}
      {question && (
        <Suspense>
          <FactorQuestion
            name={app}
            challenge={question.challenge}
            onAnswer={question.resolve}
            onClose={() => {
              setQuestion(undefined);
              question.reject();
            }}
          />
        </Suspense>
      )}
    </main>
  );
}

/** What the list calls it, where they see it at all: its host may be named otherwise. */
function TestRefused({ clusterId, host }: { clusterId: string; host: string }) {
  const t = useTranslate();
  const found = useQuery({ ...fewQuery(APPS, useApi(), clusterId, host), retry: false }).data;
  const app = found?.items.find(({ fqdn, publicAddr }) => fqdn === host || publicAddr === host);
  if (!app || app.awsConsole) return null;
  return (
    <TestIt page="apps" name={app.name} clusterId={clusterId}>
      {t('launch.test')}
    </TestIt>
  );
}

type Question = PromiseWithResolvers<FactorAnswer> & { challenge: AuthenticateChallenge };

function readAsked(texts: SearchTexts) {
  return { ...(texts.path ? { path: texts.path } : {}), ...(texts.state ? { state: texts.state } : {}) };
}
