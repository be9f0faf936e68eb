/** Keys by which programs that speak SSH come in as you: certificates of sign-ins, and keys that a browser lets in. */
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Table } from '@gatehouse/design/table';
import { useToast } from '@gatehouse/design/toast';
import KeyRound from 'lucide-react/icons/key-round';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useSshDoorAtOnce } from '../../shared/ssh-door/use-ssh-door.ts';
import styles from './account.module.css';
import { useApiTokens, useRefreshAccount, useSignIns, useSshKeys } from './account-queries.ts';
import { actionColumn } from './action-column.ts';
import { Section } from './section.tsx';

interface KeyRow {
  /** Serial number of a certificate, or id of a kept key. */
  id: string;
  kind: 'certificate' | 'kept';
  fingerprint: string;
  /** What it stands on, as the lists above call it; empty where they do not have it. */
  device: string;
  address: string;
  created: string;
  /** Absent for a kept key, which ends with its browser's sign-in. */
  expires: string | undefined;
}

export function SshSection() {
  const t = useTranslate();
  const rows = useKeyRows();
  const door = useSshDoorAtOnce();
  const [revoking, setRevoking] = useState<KeyRow>();
  // No command could get one here. Those of before the door was shut are still to be seen.
  if (rows.length === 0 && !door) return null;
  return (
    <Section title={t('account.ssh')} lead={t('account.ssh-lead')}>
      <Table
        label={t('account.ssh')}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState level={3} icon={KeyRound} title={t('account.no-ssh')}>
            {t('account.no-ssh-text')}
          </EmptyState>
        }
        columns={[
          {
            id: 'key',
            title: t('account.ssh-key'),
            width: '36%',
            mono: true,
            cell: ({ fingerprint }) => <code className={styles.wraps}>{fingerprint}</code>,
          },
          {
            id: 'kind',
            title: t('account.kind'),
            cell: ({ kind, device, address }) => (
              <span className={styles.wraps}>
                {kind === 'kept'
                  ? t('account.ssh-kept', { device: device || t('account.device-unknown'), address })
                  : t(device ? 'account.ssh-certificate-of' : 'account.ssh-certificate', { device })}
              </span>
            ),
          },
          {
            id: 'created',
            title: t('account.ssh-created'),
            width: '168px',
            cell: ({ created }) => formatDateTime(created),
          },
          {
            id: 'expires',
            title: t('account.expires'),
            width: '168px',
            cell: ({ expires }) => (expires === undefined ? t('account.ssh-with-browser') : formatDateTime(expires)),
          },
          {
            ...actionColumn(t('account.actions')),
            cell: (row) => (
              <Button size="small" tone="danger" onClick={() => setRevoking(row)}>
                {t('account.revoke')}
              </Button>
            ),
          },
        ]}
      />
      <RevokeDialog row={revoking} onClose={() => setRevoking(undefined)} />
    </Section>
  );
}

function useKeyRows(): KeyRow[] {
  const signIns = useSignIns().map(({ id, device }) => [id, device] as const);
  const tokens = useApiTokens().map(({ id, name }) => [id, name] as const);
  const devices = new Map([...signIns, ...tokens]);
  const { certificates, keys } = useSshKeys();
  return [
    ...certificates.map(({ serial, signIn, ...rest }) => ({
      ...{ id: serial, kind: 'certificate' as const, device: devices.get(signIn) ?? '', address: '' },
      ...rest,
    })),
    ...keys.map(({ signIn, ...rest }) => ({
      ...{ kind: 'kept' as const, device: devices.get(signIn) ?? '', expires: undefined },
      ...rest,
    })),
  ];
}

function RevokeDialog({ row, onClose }: { row: KeyRow | undefined; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccount();
  const [isBusy, setBusy] = useState(false);

  const revoke = async ({ id, kind }: KeyRow) => {
    setBusy(true);
    try {
      await (kind === 'kept'
        ? api(sshCertificateRoutes.unbind, { params: { keyId: id } })
        : api(sshCertificateRoutes.revoke, { params: { serial: id } }));
      toast.show({ tone: 'ok', title: t(`account.ssh-revoked-${kind}`) });
    } catch (error) {
      toast.show({ tone: 'bad', title: t('common.failed-title'), text: failureWords(t, error) });
    }
    await refresh();
    setBusy(false);
    onClose();
  };
  const kind = row?.kind ?? 'certificate';
  return (
    <ConfirmDialog
      open={row !== undefined}
      onOpenChange={onClose}
      title={t(`account.ssh-revoke-${kind}`)}
      confirmWord={t('account.revoke')}
      cancelWord={t('account.cancel')}
      confirming={isBusy}
      onConfirm={() => row && void revoke(row)}
    >
      {t(`account.ssh-revoke-${kind}-text`)}
    </ConfirmDialog>
  );
}
