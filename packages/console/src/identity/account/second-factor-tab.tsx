/** The user's devices and recovery codes. */
import { deviceDescription, type MfaDevice, mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { formatDateTime, ZERO_TIME } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { Table } from '@gatehouse/design/table';
import { useToast } from '@gatehouse/design/toast';
import KeyRound from 'lucide-react/icons/key-round';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { usePageConfig, useUser } from '../../platform/sign-in/user.ts';
import { ProveDialog } from '../../shared/credentials/prove-dialog.tsx';
import { RecoveryCodes } from '../../shared/credentials/recovery-codes.tsx';
import styles from './account.module.css';
import { useDevices, useRecoveryStatus, useRefreshAccount } from './account-queries.ts';
import { actionColumn } from './action-column.ts';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { Section } from './section.tsx';

export function SecondFactorTab() {
  const t = useTranslate();
  const isOff = usePageConfig().auth.second_factor === 'off';
  if (!isOff) {
    return (
      <>
        <DevicesSection />
        <RecoverySection />
      </>
    );
  }
  return (
    <Section title={t('account.devices')}>
      <div className={styles.body}>
        <Notice tone="info" announce="none">
          {t('account.factors-off')}
        </Notice>
      </div>
    </Section>
  );
}

/** The contract's words are the wire's; these are what people read. */
const DESCRIPTION_WORDS: Record<string, WordId> = {
  'Authenticator App': 'account.description-app',
  'Hardware Key': 'account.description-key',
};

function DevicesSection() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { now } = useBrowser();
  const refresh = useRefreshAccount();
  const devices = useDevices();
  const [doing, setDoing] = useState<'prove-to-add' | { addWith: string } | { remove: MfaDevice }>();
  const close = () => setDoing(undefined);
  const removing = typeof doing === 'object' && 'remove' in doing ? doing.remove : undefined;
  const addButton = (
    <Button icon={Plus} onClick={() => setDoing('prove-to-add')}>
      {t('account.add-device')}
    </Button>
  );
  const remove = async (tokenId: string, deviceName: string) => {
    await api(mfaRoutes.removeDevice, { params: { tokenId, deviceName } });
    await refresh();
    close();
    toast.show({ tone: 'ok', title: t('account.device-removed', { name: deviceName }) });
  };
  return (
    <Section title={t('account.devices')} lead={t('account.devices-lead')} actions={devices.length > 0 && addButton}>
      <Table
        label={t('account.devices')}
        rows={devices}
        rowKey={({ id }) => id}
        empty={
          <EmptyState level={3} icon={KeyRound} title={t('account.no-devices')} actions={addButton}>
            {t('account.no-devices-text')}
          </EmptyState>
        }
        columns={[
          {
            id: 'name',
            title: t('account.name'),
            cell: ({ name, passwordless }) => (
              <span className={styles.named}>
                <span>{name}</span>
                {passwordless && <Badge>{t('account.passkey')}</Badge>}
              </span>
            ),
          },
          {
            id: 'description',
            title: t('account.description'),
            width: '20%',
            cell: ({ type }) => t(DESCRIPTION_WORDS[deviceDescription(type)] ?? 'account.description-unknown'),
          },
          {
            id: 'added',
            title: t('account.registered'),
            width: '20%',
            cell: ({ addedAt }) => formatDateTime(addedAt),
          },
          {
            id: 'used',
            title: t('account.last-used'),
            width: '16%',
            cell: ({ lastUsed }) =>
              lastUsed === ZERO_TIME ? (
                t('account.never')
              ) : (
                <span title={formatDateTime(lastUsed)}>{formatRelative(Date.parse(lastUsed), now())}</span>
              ),
          },
          {
            ...actionColumn(t('account.actions')),
            cell: (device) => (
              <Button
                size="small"
                tone="danger"
                aria-label={t('common.remove', { name: device.name })}
                onClick={() => setDoing({ remove: device })}
              >
                {t('account.remove')}
              </Button>
            ),
          },
        ]}
      />
      {doing === 'prove-to-add' && (
        <ProveDialog
          title={t('account.add-device')}
          confirmWord={t('account.continue')}
          passesByItself
          onClose={close}
          onProven={async (addWith) => setDoing({ addWith })}
        />
      )}
      {typeof doing === 'object' && 'addWith' in doing && <AddDeviceDialog tokenId={doing.addWith} onClose={close} />}
      {removing && (
        <ProveDialog
          title={t('account.remove-device-title', { name: removing.name })}
          text={t('account.remove-device-text')}
          confirmWord={t('account.remove')}
          tone="danger-solid"
          onClose={close}
          onProven={(tokenId) => remove(tokenId, removing.name)}
        />
      )}
    </Section>
  );
}

function RecoverySection() {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshAccount();
  const { userName } = useUser();
  const { created, left } = useRecoveryStatus();
  const [doing, setDoing] = useState<'prove' | { codes: readonly string[] }>();
  const close = () => setDoing(undefined);
  const make = async (tokenId: string) => {
    const { codes } = await api(recoveryRoutes.createCodes, { body: { tokenId } });
    setDoing({ codes });
    await refresh();
  };
  return (
    <Section
      title={t('credentials.codes-title')}
      lead={t('account.codes-lead')}
      actions={<Button onClick={() => setDoing('prove')}>{t('account.make-codes')}</Button>}
    >
      <div className={styles.body}>
        {created === null ? (
          <p className={styles.faint}>{t('account.no-codes')}</p>
        ) : (
          <p>{t('account.codes-left', { count: left, date: formatDateTime(created) })}</p>
        )}
        {created !== null && left <= FEW_CODES && (
          <Notice tone="warn" announce="none">
            {t('account.few-codes')}
          </Notice>
        )}
      </div>
      {doing === 'prove' && (
        <ProveDialog
          title={t('account.make-codes')}
          text={t('account.make-codes-text')}
          confirmWord={t('account.make-codes')}
          onClose={close}
          onProven={make}
        />
      )}
      {typeof doing === 'object' && (
        <Dialog open dismissable={false} onOpenChange={close} title={t('credentials.codes-title')}>
          <RecoveryCodes codes={doing.codes} userName={userName} doneWord={t('account.token-done')} onDone={close} />
        </Dialog>
      )}
    </Section>
  );
}

const FEW_CODES = 2;
