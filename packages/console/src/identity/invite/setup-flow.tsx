/** The steps of an invite or reset: welcome, password or passkey, second factor, recovery codes, and in. */

import type { PreCaptured } from '@gatehouse/contract/console/capture';
import { PAGES, type PageName, pagePath } from '@gatehouse/contract/console/pages';
import { Card } from '@gatehouse/design/card';
import { StepSlider } from '@gatehouse/design/step-slider';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchForAction } from '../../platform/code/fetch-code.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { precapture } from '../../platform/telemetry/usage.ts';
import { supportsKeys } from '../../platform/webauthn/keys.ts';
import { useNewPassword } from '../../shared/credentials/new-password-fields.tsx';
import { RecoveryCodes } from '../../shared/credentials/recovery-codes.tsx';
import { enterConsole } from '../../shared/public-page/enter.ts';
import type { PublicFacts } from '../../shared/public-page/public-facts.ts';
import { FactorStep, offeredFactors } from './factor-step.tsx';
import type { Choice, Link } from './invite-calls.ts';
import { linkReason } from './link-reason.ts';
import { PasskeyStep } from './passkey-step.tsx';
import { PasswordStep } from './password-step.tsx';
import { StepHead } from './step-head.tsx';
import { WelcomeStep } from './welcome-step.tsx';

interface SetupFlowProps {
  page: PageName;
  link: Link;
  facts: PublicFacts;
  /** The link stopped working on the way. */
  onRefused: (failure: unknown) => void;
}

export function SetupFlow({ page, link, facts, onRefused }: SetupFlowProps) {
  const t = useTranslate();
  const browser = useBrowser();
  const newPassword = useNewPassword();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const canUsePasskey = facts.passkeys && supportsKeys();
  const first = firstStep(link, facts, canUsePasskey);
  const factors = offeredFactors(link, facts);
  const tell = (event: PreCaptured['event'], choice?: Choice) =>
    precapture({
      event,
      username: link.user,
      ...(choice?.device ? { mfaType: choice.device.factor } : {}),
      loginFlow: choice && !choice.password ? 'passwordless' : 'local',
    });
  const enter = () => {
    tell('tp.ui.onboard.completeGoToDashboard.click');
    enterConsole(browser, PAGES.root.path);
  };

  /** Throws what the step that asked must say. */
  const redeem = async (choice: Choice, showCodes: () => void) => {
    tell(choice.device ? 'tp.ui.onboard.registerChallenge.submit' : 'tp.ui.onboard.setCredential.submit', choice);
    const { redeemLink } = await fetchForAction(() => import('./invite-calls.ts'));
    const made = await redeemLink(browser.send, link.tokenId, choice).catch((failure: unknown) => {
      if (linkReason(failure)) onRefused(failure);
      throw failure;
    });
    if (made.length === 0) return enter();
    setCodes(made);
    showCodes();
  };
  const password = link.keepsPassword ? {} : { password: newPassword.password };

  return (
    <Card floating>
      <StepSlider
        initialFlow={page === 'inviteContinue' || page === 'resetContinue' ? first : 'welcome'}
        flows={{
          welcome: [
            {
              id: 'welcome',
              label: t('invite.step-welcome'),
              view: ({ switchFlow }) => (
                <WelcomeStep
                  type={link.type}
                  onNext={() => {
                    window.history.replaceState(null, '', continuePath(page, link.tokenId));
                    switchFlow(first);
                  }}
                />
              ),
            },
          ],
          password: [
            {
              id: 'password',
              label: t('invite.step-password'),
              view: ({ next, switchFlow }) => (
                <PasswordStep
                  userName={link.user}
                  value={newPassword}
                  onPasskey={canUsePasskey ? () => switchFlow('passkey') : undefined}
                  onNext={factors.length > 0 ? next : undefined}
                  redeem={() => redeem(password, () => switchFlow('codes'))}
                />
              ),
            },
            {
              id: 'factor',
              label: t('invite.step-factor'),
              view: ({ previous, switchFlow }) => (
                <FactorStep
                  link={link}
                  factors={factors}
                  onBack={previous}
                  redeem={(device) => redeem({ ...password, ...device }, () => switchFlow('codes'))}
                />
              ),
            },
          ],
          factor: [
            {
              id: 'factor',
              label: t('invite.step-factor'),
              view: ({ switchFlow }) => (
                <FactorStep
                  link={link}
                  factors={factors}
                  redeem={(device) => redeem({ ...password, ...device }, () => switchFlow('codes'))}
                />
              ),
            },
          ],
          passkey: [
            {
              id: 'passkey',
              label: t('invite.step-passkey'),
              view: ({ switchFlow }) => (
                <PasskeyStep
                  onPassword={facts.passwords ? () => switchFlow('password') : undefined}
                  redeem={(device) => redeem({ device }, () => switchFlow('codes'))}
                />
              ),
            },
          ],
          codes: [
            {
              id: 'codes',
              label: t('credentials.codes-title'),
              view: () => (
                <>
                  <StepHead title={t('credentials.codes-title')} />
                  <RecoveryCodes codes={codes} userName={link.user} doneWord={t('invite.enter')} onDone={enter} />
                </>
              ),
            },
          ],
        }}
      />
    </Card>
  );
}

function firstStep(link: Link, facts: PublicFacts, canUsePasskey: boolean): 'password' | 'passkey' | 'factor' {
  if (link.keepsPassword) return 'factor';
  return canUsePasskey && facts.first === 'passwordless' ? 'passkey' : 'password';
}

function continuePath(page: PageName, tokenId: string): string {
  return pagePath(page === 'invite' || page === 'inviteContinue' ? 'inviteContinue' : 'resetContinue', { tokenId });
}
