/** Command lines and tokens for scripts that act as you: listed, made and taken back. */
import { apiTokenRoutes, type TokenScope } from '@gatehouse/contract/access/api-tokens';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Table } from '@gatehouse/design/table';
import { useToast } from '@gatehouse/design/toast';
import Plus from 'lucide-react/icons/plus';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';
import { useApiTokens, useRefreshAccount, useSignIns } from './account-queries.ts';
import { actionColumn } from './action-column.ts';
import { Section } from './section.tsx';
import { TokenDialog } from './token-dialog.tsx';

interface CredentialRow {
  id: string;
  name: string;
  /** Absent for a command line, which may do what its owner may. */
  scope?: TokenScope;
  expires: string;
  lastActive: string | undefined;
}

export function CredentialsSection() {
  const t = useTranslate();
  const { now } = useBrowser();
  const rows = useCredentials();
  const [isMaking, set] = useSearch(parseMaking);
  const setMaking = (makes: boolean) => void set({ do: makes ? 'token' : undefined }, makes ? 'push' : 'replace');
  const [revoking, setRevoking] = useState<CredentialRow>();
  const newToken = (
    <Button icon={Plus} onClick={() => setMaking(true)}>
      {t('account.new-token')}
    </Button>
  );
  return (
    <Section
      title={t('account.credentials')}
      lead={t('account.credentials-lead')}
      actions={rows.length > 0 && newToken}
    >
      <Table
        label={t('account.credentials')}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState level={3} icon={SquareTerminal} title={t('account.no-credentials')} actions={newToken}>
            {t('account.no-credentials-text')}
          </EmptyState>
        }
        columns={[
          { id: 'name', title: t('account.name'), cell: ({ name }) => name },
          { id: 'kind', title: t('account.kind'), width: '20%', cell: ({ scope }) => scopeWords(t, scope) },
          { id: 'expires', title: t('account.expires'), width: '20%', cell: ({ expires }) => formatDateTime(expires) },
          {
            id: 'active',
            title: t('account.last-active'),
            width: '16%',
            cell: ({ lastActive }) => (lastActive ? formatRelative(Date.parse(lastActive), now()) : t('account.never')),
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
      {isMaking && <TokenDialog onClose={() => setMaking(false)} />}
      <RevokeDialog row={revoking} onClose={() => setRevoking(undefined)} />
    </Section>
  );
}

/** In the address, so that the palette and a link lead to it. */
function parseMaking(texts: SearchTexts): boolean {
  return texts.do === 'token';
}

function useCredentials(): CredentialRow[] {
  const lines = useSignIns().filter(({ kind }) => kind === 'cli');
  const tokens = useApiTokens();
  return [
    ...lines.map(({ id, device, expires, lastActive }) => ({ id, name: device, expires, lastActive })),
    ...tokens.map(({ id, name, scope, expires, lastActive }) => ({ id, name, scope, expires, lastActive })),
  ];
}

function scopeWords(t: Translate, scope: TokenScope | undefined): string {
  if (scope === undefined) return t('account.kind-cli');
  if (scope === 'read' || scope === 'all') return t(`account.scope-${scope}`);
  return t('account.scope-some');
}

function RevokeDialog({ row, onClose }: { row: CredentialRow | undefined; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccount();
  const [isBusy, setBusy] = useState(false);

  const revoke = async ({ id, scope, name }: CredentialRow) => {
    setBusy(true);
    const params = { params: { id } };
    try {
      await (scope === undefined ? api(signInsRoutes.end, params) : api(apiTokenRoutes.remove, params));
      toast.show({ tone: 'ok', title: t('account.revoked', { name }) });
    } catch (error) {
      toast.show({ tone: 'bad', title: t('common.failed-title'), text: failureWords(t, error) });
    }
    await refresh();
    setBusy(false);
    onClose();
  };
  return (
    <ConfirmDialog
      open={row !== undefined}
      onOpenChange={onClose}
      title={t('account.revoke-title', { name: row?.name ?? '' })}
      confirmWord={t('account.revoke')}
      cancelWord={t('account.cancel')}
      confirming={isBusy}
      onConfirm={() => row && void revoke(row)}
    >
      {t('account.revoke-text')}
    </ConfirmDialog>
  );
}
