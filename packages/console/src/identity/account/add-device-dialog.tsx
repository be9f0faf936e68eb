/** Adds a device, once its owner has proven who they are. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import type { Api } from '../../platform/api/api.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { createKey, supportsKeys } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';
import { AppSetup, CODE_LENGTH } from '../../shared/credentials/app-setup.tsx';
import { takesCodes, takesKeys } from '../../shared/public-page/public-facts.ts';
import styles from './account.module.css';
import { useRefreshAccount } from './account-queries.ts';

type Factor = 'key' | 'passkey' | 'app';

interface AddDeviceDialogProps {
  /** The privilege token. */
  tokenId: string;
  onClose: () => void;
}

export function AddDeviceDialog({ tokenId, onClose }: AddDeviceDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccount();
  const formId = useId();
  const factors = useFactors();
  const [factor, setFactor] = useState<Factor>(factors[0] ?? 'app');
  const [names, setNames] = useState<Partial<Record<Factor, string>>>({});
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const attempt = useAttempt();
  const app = useAppChallenge(api, tokenId, factor === 'app');
  const name = names[factor] ?? t(`credentials.name-${factor}`);
  const isCodeMissing = factor === 'app' && code.length !== CODE_LENGTH;
  const { failure } = attempt;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!name.trim() || isCodeMissing) return;
    const isDone = await attempt.run(() => addDevice(api, tokenId, { factor, name: name.trim(), code }));
    setCode((typed) => (typed === code ? '' : typed));
    if (!isDone) return;
    await refresh();
    onClose();
    toast.show({ tone: 'ok', title: t('account.device-added', { name: name.trim() }) });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('account.add-device')}
      footer={
        <>
          <Button onClick={onClose}>{t('account.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            tone="primary"
            loading={attempt.isBusy}
            loadingWord={factor === 'app' ? undefined : t('account.waiting-key')}
          >
            {t('account.add-device')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
        {failure && failure.field === undefined && <Notice tone="bad">{failure.message}</Notice>}
        {factors.length > 1 && (
          <RadioGroup
            label={t('credentials.kind')}
            value={factor}
            onValueChange={setFactor}
            options={factors.map((value) => ({
              value,
              label: t(`credentials.kind-${value}`),
              hint: t(`credentials.kind-${value}-hint`),
            }))}
          />
        )}
        {factor === 'app' && app.isError && <Notice tone="bad">{t('account.app-failed')}</Notice>}
        {factor === 'app' && app.isPending && <Spinner />}
        {factor === 'app' && app.data?.totp && (
          <AppSetup
            qrCode={app.data.totp.qrCode}
            secret={app.data.totpSecret ?? ''}
            code={code}
            onCode={setCode}
            error={
              failure?.field === 'code'
                ? failure.message
                : isChecked && isCodeMissing && !failure
                  ? t('credentials.code-missing')
                  : undefined
            }
          />
        )}
        {factor !== 'app' && <p className={styles.lead}>{t(`credentials.${factor}-lead`)}</p>}
        <TextField
          label={t('credentials.device-name')}
          hint={t('credentials.device-name-hint')}
          maxLength={64}
          autoComplete="off"
          value={name}
          onValueChange={(typed) => setNames({ ...names, [factor]: typed })}
          error={
            name.trim() ? failure?.field === 'deviceName' && failure.message : t('credentials.device-name-missing')
          }
        />
      </form>
    </Dialog>
  );
}

function useFactors(): Factor[] {
  const { second_factor, allowPasswordless } = usePageConfig().auth;
  const keys: Factor[] = takesKeys(second_factor) ? ['key'] : [];
  if (allowPasswordless) keys.push('passkey');
  const apps: Factor[] = takesCodes(second_factor) ? ['app'] : [];
  return supportsKeys() ? [...keys, ...apps] : [...apps, ...keys];
}

/** Asked for once: every other time the gateway would make another secret, and the scanned one would be worth nothing. */
function useAppChallenge(api: Api, tokenId: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['enrol-app', tokenId],
    queryFn: () =>
      api(mfaRoutes.registerChallenge, { params: { tokenId }, body: { deviceType: 'totp', deviceUsage: 'mfa' } }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

interface NewDevice {
  factor: Factor;
  name: string;
  code: string;
}

async function addDevice(api: Api, tokenId: string, { factor, name, code }: NewDevice): Promise<void> {
  if (factor === 'app') {
    await api(mfaRoutes.addDevice, { body: { tokenId, deviceName: name, secondFactorToken: code } });
    return;
  }
  const deviceUsage = factor === 'passkey' ? 'passwordless' : 'mfa';
  const { webauthn } = await api(mfaRoutes.registerChallenge, {
    params: { tokenId },
    body: { deviceType: 'webauthn', deviceUsage },
  });
  if (!webauthn) throw new WebauthnError('nothing-created');
  const webauthnRegisterResponse = await createKey(webauthn);
  await api(mfaRoutes.addDevice, { body: { tokenId, deviceName: name, deviceUsage, webauthnRegisterResponse } });
}
