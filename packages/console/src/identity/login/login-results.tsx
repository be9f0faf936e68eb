/** Where a sign-in through a provider ends: done, or not, with what the gateway said. */
import { PAGES } from '@gatehouse/contract/console/pages';
import { StatusCard } from '@gatehouse/design/status-card';
import { TextLink } from '@gatehouse/design/text-link';
import { useEffect, useState } from 'react';
import type { ApiSend } from '../../platform/api/send.ts';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { readPublicFacts } from '../../shared/public-page/public-facts.ts';
import { PublicFrame } from '../../shared/public-page/public-frame.tsx';

export function LoginSuccessScreen() {
  const t = useTranslate();
  return (
    <ResultFrame>
      <StatusCard tone="ok" title={t('login.success-title')}>
        {t('login.success-text')}
      </StatusCard>
    </ResultFrame>
  );
}

export const LoginFailedScreen = () => <Failed kind="generic" />;
export const LoginCallbackFailedScreen = () => <Failed kind="callback" />;
export const LoginUnauthorizedScreen = () => <Failed kind="unauthorized" />;

type Kind = 'generic' | 'callback' | 'unauthorized';

function Failed({ kind }: { kind: Kind }) {
  const t = useTranslate();
  const said = useSaid(kind);
  return (
    <ResultFrame>
      <StatusCard
        tone="bad"
        title={t('login.failure-title')}
        actions={<TextLink href={PAGES.login.path}>{t('login.failure-link')}</TextLink>}
      >
        {t(`login.failure-${kind}`)}
        {said && <p>{t('login.failure-said', { message: asSentence(said) })}</p>}
      </StatusCard>
    </ResultFrame>
  );
}

/** Anybody can write an address, so what stands in this one is shown to the gateway, which knows its own words again. */
function useSaid(kind: Kind): string | undefined {
  const { send } = useBrowser();
  const [message, setMessage] = useState<string>();
  useEffect(() => {
    const said = new URLSearchParams(window.location.search).get('said');
    if (!said) return;
    const asking = new AbortController();
    void askGateway(send, { kind, said }, asking.signal).then(setMessage, () => {});
    return () => asking.abort();
  }, [send, kind]);
  return message;
}

// Read by hand: the contract's schemas would bring zod into this page.
async function askGateway(
  send: ApiSend,
  query: Record<'kind' | 'said', string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = `/v1/webapi/login/failure?${new URLSearchParams(query)}`;
  const { status, text } = await send({ method: 'GET', url }, signal);
  const reply: unknown = status === 200 ? JSON.parse(text) : undefined;
  const { message } = (reply ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

function ResultFrame({ children }: { children: React.ReactNode }) {
  const { version } = readPublicFacts(useBrowser().pageConfig);
  return <PublicFrame version={version}>{children}</PublicFrame>;
}
