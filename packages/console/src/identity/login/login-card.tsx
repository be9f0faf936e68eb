/** The card of the login page and its steps: the first form, then the second factor or a recovery code when asked for. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { Card } from '@gatehouse/design/card';
import { StepSlider } from '@gatehouse/design/step-slider';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords, useTranslate } from '../../platform/i18n/words.ts';
import type { PublicFacts } from '../../shared/public-page/public-facts.ts';
import { FirstForm } from './first-form.tsx';
import type { Credentials, Factors } from './login-calls.ts';
import styles from './login-card.module.css';

interface LoginCardProps {
  facts: PublicFacts;
  target: string;
  onSignedIn: () => void;
}

/** Both steps come after the first form; whoever needs neither does not fetch them. */
const fetchLaterSteps = async () => {
  const [{ FactorForm }, { RecoveryForm }, { answersAfterPassword }] = await Promise.all([
    fetchCode(() => import('./factor-form.tsx')),
    fetchCode(() => import('./recovery-form.tsx')),
    fetchCode(() => import('./login-calls.ts')),
    loadWords(['credentials']),
  ]);
  return { FactorForm, RecoveryForm, answersAfterPassword };
};

type LaterSteps = Awaited<ReturnType<typeof fetchLaterSteps>>;

export function LoginCard({ facts, target, onSignedIn }: LoginCardProps) {
  const t = useTranslate();
  const { go, send } = useBrowser();
  const [later, setLater] = useState<LaterSteps>();
  const [known, setKnown] = useState<Credentials & { factors?: Factors }>();
  const [isFirst, setFirst] = useState(true);
  const canRecover = facts.secondFactor !== 'off' && facts.passwords;

  /** Fetched before the slide begins, so that it never slides to nothing. */
  const openStep = async (open: () => void) => {
    setLater(await fetchLaterSteps());
    open();
  };
  const recovered = (tokenId: string) => go(pagePath('reset', { tokenId }));

  return (
    <>
      <Card floating>
        <StepSlider
          initialFlow="first"
          onStepChange={(flow) => setFirst(flow === 'first')}
          flows={{
            first: [
              {
                id: 'form',
                label: t('login.title'),
                view: ({ switchFlow }) => (
                  <FirstForm
                    facts={facts}
                    target={target}
                    onSignedIn={onSignedIn}
                    onFactors={async (credentials, factors) => {
                      setKnown({ ...credentials, factors });
                      await openStep(() => switchFlow('factor'));
                    }}
                    onRecovery={
                      canRecover
                        ? () => {
                            setKnown(undefined);
                            void openStep(() => switchFlow('recovery'));
                          }
                        : undefined
                    }
                  />
                ),
              },
            ],
            factor: [
              {
                id: 'factor',
                label: t('login.factor-title'),
                view: ({ switchFlow }) =>
                  later &&
                  known?.factors && (
                    <later.FactorForm
                      // A second attempt with another name or password begins anew.
                      key={`${known.user} ${known.pass}`}
                      answers={later.answersAfterPassword(send, known)}
                      factors={known.factors}
                      preferred={facts.preferred}
                      onSignedIn={onSignedIn}
                      onBack={() => switchFlow('first')}
                      onRecovery={() => switchFlow('recovery')}
                    />
                  ),
              },
            ],
            recovery: [
              {
                id: 'recovery',
                label: t('login.recovery-title'),
                view: ({ switchFlow }) =>
                  later && (
                    <later.RecoveryForm
                      key={known?.user}
                      known={known}
                      onRecovered={recovered}
                      onBack={() => switchFlow('first')}
                    />
                  ),
              },
            ],
          }}
        />
      </Card>
      <p className={styles.help} data-hidden={!isFirst || undefined}>
        {t('login.trouble')}
      </p>
    </>
  );
}
