/** Asks to prove again who one is, before something that an open browser alone must not be enough for. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import type { AuthenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import { Button, type ButtonTone } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import { type SubmitEvent, useEffect, useId, useState } from 'react';
import type { Api } from '../../platform/api/api.ts';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { refusalOf } from '../../platform/failures/failure-words.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { askKey } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';
import { CODE_LENGTH, CodeField } from './app-setup.tsx';
import styles from './prove-dialog.module.css';

type Proof = 'key' | 'code' | 'password' | 'none';

interface ProveDialogProps {
  title: string;
  /** What will happen. */
  text?: string;
  confirmWord: string;
  tone?: ButtonTone;
  /** Goes on at once when nothing has to be proven. */
  passesByItself?: boolean;
  onClose: () => void;
  /** Gets the privilege token; what it throws is said in the dialog. */
  onProven: (tokenId: string) => Promise<void>;
}

export function ProveDialog(props: ProveDialogProps) {
  const { title, text, confirmWord, tone = 'primary', passesByItself = false, onClose, onProven } = props;
  const t = useTranslate();
  const api = useApi();
  const { go } = useBrowser();
  const formId = useId();
  const [asked, setAsked] = useState<Proof>();
  const [canSwitch, setCanSwitch] = useState(false);
  const [secret, setSecret] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [again, setAgain] = useState<string>();
  const attempt = useAttempt();

  const askOtherwise = (error: unknown): undefined => {
    setAgain(againOf(error));
    if (!isPasswordAsked(error)) throw error;
    setAsked('password');
  };
  const prove = (proof: Proof) =>
    attempt.run(async () => {
      const tokenId = await privilegeToken(api, proof, secret).catch(askOtherwise);
      setSecret('');
      setChecked(false);
      if (tokenId !== undefined) await onProven(tokenId);
    });

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => {
    void attempt.run(async () => {
      const challenge = await api(mfaRoutes.challenge, {});
      const first = proofFor(challenge);
      setCanSwitch(challenge.webauthn_challenge !== null && challenge.totp_challenge);
      if (first !== 'none' || !passesByItself) return setAsked(first);
      const tokenId = await privilegeToken(api, 'none', '').catch(askOtherwise);
      if (tokenId !== undefined) await onProven(tokenId);
    });
  }, []);

  const isMissing = (asked === 'code' && secret.length !== CODE_LENGTH) || (asked === 'password' && secret === '');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (asked && !isMissing) void prove(asked);
  };
  const { failure } = attempt;
  const isAtField = failure?.field === 'code' || failure?.field === 'password';
  const fieldError =
    isChecked && isMissing ? t(`account.${asked}-missing` as 'account.code-missing') : failure?.message;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!attempt.isBusy || asked === 'key'}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('account.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            tone={tone}
            loading={attempt.isBusy && asked !== undefined}
            loadingWord={asked === 'key' ? t('account.waiting-key') : undefined}
            disabled={asked === undefined}
          >
            {confirmWord}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.stack} onSubmit={submit} noValidate>
        {text && <p>{text}</p>}
        {failure && !isAtField && <Notice tone="bad">{failure.message}</Notice>}
        {failure && again !== undefined && (
          <div>
            <Button onClick={() => go(again + encodeURIComponent(window.location.href))}>
              {t('account.sign-in-there')}
            </Button>
          </div>
        )}
        {asked === undefined && !failure && <Spinner />}
        {asked === 'key' && <p className={styles.lead}>{t('account.prove-key')}</p>}
        {asked === 'code' && (
          <CodeField
            autoFocus
            value={secret}
            onValue={setSecret}
            error={isAtField || isChecked ? fieldError : undefined}
          />
        )}
        {asked === 'password' && (
          <TextField
            label={t('account.current-password')}
            hint={t('account.prove-password')}
            type="password"
            autoFocus
            autoComplete="current-password"
            value={secret}
            onValueChange={setSecret}
            error={isAtField || isChecked ? fieldError : undefined}
          />
        )}
        {canSwitch && (
          <div>
            <TextButton onClick={() => setAsked(asked === 'key' ? 'code' : 'key')}>
              {t(asked === 'key' ? 'account.use-code' : 'account.use-key')}
            </TextButton>
          </div>
        )}
      </form>
    </Dialog>
  );
}

function proofFor({ webauthn_challenge, totp_challenge }: AuthenticateChallenge): Proof {
  if (webauthn_challenge) return 'key';
  return totp_challenge ? 'code' : 'none';
}

async function privilegeToken(api: Api, proof: Proof, secret: string): Promise<string> {
  if (proof === 'password') await api(mfaRoutes.challengeWithPassword, { body: { pass: secret } });
  if (proof === 'code') return api(passwordRoutes.createPrivilegeToken, { body: { secondFactorToken: secret } });
  if (proof !== 'key') return api(passwordRoutes.createPrivilegeToken, { body: {} });
  // A fresh challenge for each try: the first answer to one uses it up.
  const { webauthn_challenge } = await api(mfaRoutes.challenge, {});
  if (!webauthn_challenge) throw new WebauthnError('nothing-obtained');
  const webauthnAssertionResponse = await askKey(webauthn_challenge);
  return api(passwordRoutes.createPrivilegeToken, { body: { webauthnAssertionResponse } });
}

/** Where whoever came through a provider signs in there again; the address is followed by where they want to be afterwards. */
function againOf(error: unknown): string | undefined {
  const again = refusalOf(error)?.fields.again;
  return typeof again === 'string' && again.startsWith('/v1/webapi/') ? again : undefined;
}

/** Somebody without devices who signed in a while ago is asked for the password instead. */
function isPasswordAsked(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal?.code === 'mfa_required' && refusal.fields.reason === 'password';
}
