/** Lets a person approve a command line that wants to act as them, comparing the short code on both sides. */

import { type CliLoginDetails, cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { CallError } from '@gatehouse/contract/wire/client';
import { Button } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import { StatusCard } from '@gatehouse/design/status-card';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import Clock from 'lucide-react/icons/clock';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { Suspense, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageParams } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { ProofQuestion } from '../../shared/credentials/proof-question.tsx';
import styles from './cli-login-screen.module.css';

/** Often enough to see that it was answered elsewhere, or is too late. */
const ASK_EVERY_MS = 5000;

/** What is asked: to sign in a command line, to let in a connection, or for a second factor alone. */
const WORDS = {
  commandLine: {
    title: 'cli-login.title',
    lead: 'cli-login.lead',
    acceptedTitle: 'cli-login.accepted-title',
    acceptedText: 'cli-login.accepted-text',
  },
  ssh: {
    title: 'cli-login.ssh-title',
    lead: 'cli-login.ssh-lead',
    acceptedTitle: 'cli-login.ssh-accepted-title',
    acceptedText: 'cli-login.ssh-accepted-text',
  },
  kube: {
    title: 'cli-login.kube-title',
    lead: 'cli-login.kube-lead',
    acceptedTitle: 'cli-login.kube-accepted-title',
    acceptedText: 'cli-login.kube-accepted-text',
  },
} as const;

function wordsFor({ ssh, kube }: CliLoginDetails) {
  return WORDS[kube ? 'kube' : ssh ? 'ssh' : 'commandLine'];
}

export function CliLoginScreen() {
  const t = useTranslate();
  const { requestId } = usePageParams('cliLogin');
  const api = useApi();
  const details = useSuspenseQuery({
    queryKey: ['cli-login', requestId],
    // A request that nobody knows is an answer too, not a failure.
    queryFn: ({ signal }) =>
      api(cliLoginRoutes.details, { params: { requestId } }, signal).catch((error: unknown) => {
        if (error instanceof CallError && error.code === 'not_found') return null;
        throw error;
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? ASK_EVERY_MS : false),
  }).data;

  return (
    <div className={styles.place}>
      {details === null && (
        <StatusCard icon={Clock} tone="warn" title={t('cli-login.gone-title')}>
          {t('cli-login.gone-text')}
        </StatusCard>
      )}
      {details?.state === 'pending' && <Question details={details} />}
      {details?.state === 'accepted' && (
        <StatusCard tone="ok" title={t(wordsFor(details).acceptedTitle)}>
          {t(wordsFor(details).acceptedText)}
        </StatusCard>
      )}
      {details?.state === 'denied' && (
        <StatusCard tone="info" title={t('cli-login.denied-title')}>
          {t('cli-login.denied-text')}
        </StatusCard>
      )}
    </div>
  );
}

function Question({ details }: { details: CliLoginDetails }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { userName } = useUser();
  const [keepKey, setKeepKey] = useState(false);
  const { attempt, chosen, answer, isAsked, forget } = useAnswer(details, keepKey);
  const { ssh, kube } = details;
  const words = wordsFor(details);
  return (
    <StatusCard
      icon={SquareTerminal}
      title={t(words.title)}
      actions={
        <>
          <Button
            size="large"
            loading={attempt.isBusy && chosen === 'deny'}
            disabled={attempt.isBusy && chosen !== 'deny'}
            onClick={() => void answer('deny')}
          >
            {t('cli-login.deny')}
          </Button>
          <Button
            tone="primary"
            size="large"
            loading={attempt.isBusy && chosen === 'accept'}
            disabled={attempt.isBusy && chosen !== 'accept'}
            onClick={() => void answer('accept')}
          >
            {t('cli-login.accept')}
          </Button>
        </>
      }
    >
      <div className={styles.question}>
        <p>{t(words.lead, { user: userName })}</p>
        <code className={styles.code}>{details.code}</code>
        <DetailsList
          details={[
            ...(ssh ? [{ name: t('cli-login.server'), value: ssh.server ?? t('cli-login.any-server') }] : []),
            ...(ssh?.login ? [{ name: t('cli-login.login'), value: ssh.login }] : []),
            ...(kube ? [{ name: t('cli-login.cluster'), value: kube.name }] : []),
            ...(ssh || kube ? [] : [{ name: t('cli-login.client'), value: details.client }]),
            ...(ssh?.key ? [{ name: t('cli-login.key'), value: ssh.key, mono: true }] : []),
            { name: t('cli-login.address'), value: details.address, mono: true },
            {
              name: t('cli-login.asked'),
              value: (
                <span title={formatDateTime(details.created)}>
                  {formatRelative(Date.parse(details.created), now())}
                </span>
              ),
            },
          ]}
        />
        <Notice tone={details.elsewhere ? 'bad' : 'warn'} announce="none">
          {details.elsewhere ? t('cli-login.elsewhere') : t('cli-login.warning')}
        </Notice>
        {ssh?.key && <Checkbox label={t('cli-login.keep-key')} checked={keepKey} onCheckedChange={setKeepKey} />}
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        {isAsked && (
          <Suspense>
            <ProofQuestion
              title={t('cli-login.prove-title')}
              text={t('cli-login.prove-text', { client: details.client })}
              confirmWord={t('cli-login.accept')}
              passesByItself
              onClose={forget}
              onProven={async (tokenId) => {
                forget();
                await answer('accept', tokenId);
              }}
            />
          </Suspense>
        )}
      </div>
    </StatusCard>
  );
}

function useAnswer({ requestId }: CliLoginDetails, keepKey: boolean) {
  const api = useApi();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [chosen, setChosen] = useState<'accept' | 'deny'>();
  const [isAsked, setAsked] = useState(false);
  const answer = async (action: 'accept' | 'deny', tokenId?: string) => {
    setChosen(action);
    const key = ['cli-login', requestId];
    const body = { action, ...(tokenId === undefined ? {} : { tokenId }), ...(keepKey ? { keepKey } : {}) };
    let isProofWanted = false;
    const isDone = await attempt.run(() =>
      api(cliLoginRoutes.answer, { params: { requestId }, body }).catch((error: unknown) => {
        isProofWanted = tokenId === undefined && error instanceof CallError && error.code === 'mfa_required';
        if (!isProofWanted) throw error;
      }),
    );
    if (isProofWanted) return setAsked(true);
    if (!isDone) return queries.invalidateQueries({ queryKey: key });
    // Said here and not asked again: once the command line has fetched its credential, the request is gone.
    const state = action === 'accept' ? 'accepted' : 'denied';
    queries.setQueryData<CliLoginDetails | null>(key, (before) => before && { ...before, state });
  };
  return { attempt, chosen, answer, isAsked, forget: () => setAsked(false) };
}
