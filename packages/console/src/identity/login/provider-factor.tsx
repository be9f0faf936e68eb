/** The second factor that the gateway asks for itself, after a provider has said who somebody is. */
import { PAGES, redirectTarget } from '@gatehouse/contract/console/pages';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import type { AuthenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Card } from '@gatehouse/design/card';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { askKey } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';
import { enterConsole } from '../../shared/public-page/enter.ts';
import { FactorForm } from './factor-form.tsx';
import type { FactorAnswers, Factors } from './login-calls.ts';
import styles from './login-card.module.css';

interface ProviderFactorProps {
  /** What the browser brought back from the provider. */
  code: string;
  preferred: 'webauthn' | 'otp';
}

export function ProviderFactor({ code, preferred }: ProviderFactorProps) {
  const t = useTranslate();
  const api = useApi();
  const browser = useBrowser();
  const [factors, setFactors] = useState<Factors>();
  const [failure, setFailure] = useState<string>();
  const target = useRef<string>(PAGES.root.path);

  useEffect(() => {
    const asking = new AbortController();
    api(ssoFactorRoutes.challenge, { body: { code } }, asking.signal).then(
      (challenge) => setFactors(factorsOf(challenge)),
      (error: unknown) => {
        if (!asking.signal.aborted) setFailure(failureWords(t, error));
      },
    );
    return () => asking.abort();
  }, [api, code, t]);

  const answers = useMemo((): FactorAnswers => {
    const answer = async (given: { totp: string } | { webauthn: Awaited<ReturnType<typeof askKey>> }) => {
      const { redirect } = await api(ssoFactorRoutes.answer, { body: { code, ...given } });
      target.current = redirectTarget(redirect);
    };
    return {
      withCode: (totp) => answer({ totp }),
      async withKey(challenge) {
        const options = challenge ?? (await api(ssoFactorRoutes.challenge, { body: { code } })).webauthn_challenge;
        if (!options) throw new WebauthnError('nothing-obtained');
        await answer({ webauthn: await askKey(options) });
      },
    };
  }, [api, code]);

  const again = () => browser.go(PAGES.login.path);
  return (
    <Card floating>
      {factors ? (
        <FactorForm
          answers={answers}
          factors={factors}
          preferred={preferred}
          onSignedIn={() => enterConsole(browser, target.current)}
          onBack={again}
        />
      ) : failure === undefined ? (
        <Spinner />
      ) : (
        <div className={styles.form}>
          <Notice tone="bad">{failure}</Notice>
          <ButtonLink size="large" wide href={PAGES.login.path}>
            {t('login.failure-link')}
          </ButtonLink>
        </div>
      )}
    </Card>
  );
}

function factorsOf({ webauthn_challenge, totp_challenge }: AuthenticateChallenge): Factors {
  return {
    code: totp_challenge,
    key: webauthn_challenge !== null,
    ...(webauthn_challenge ? { challenge: webauthn_challenge } : {}),
  };
}
