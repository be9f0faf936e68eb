/** The browsers that are signed in as you: seen, and ended one by one or all others at once. */
import { type SignInItem, signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Table } from '@gatehouse/design/table';
import { useToast } from '@gatehouse/design/toast';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './account.module.css';
import { useRefreshAccount, useSignIns } from './account-queries.ts';
import { actionColumn } from './action-column.ts';
import { Section } from './section.tsx';

export function BrowsersSection() {
  const t = useTranslate();
  const { now } = useBrowser();
  const { signOut } = useShellActions();
  const browsers = useSignIns().filter(({ kind }) => kind === 'browser');
  const others = browsers.filter(({ current }) => !current);
  const [ending, setEnding] = useState<readonly SignInItem[]>();

  return (
    <Section
      title={t('account.browsers')}
      lead={t('account.browsers-lead')}
      actions={others.length > 0 && <Button onClick={() => setEnding(others)}>{t('account.end-others')}</Button>}
    >
      <Table
        label={t('account.browsers')}
        rows={browsers}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'device',
            title: t('account.device'),
            cell: ({ device, current }) => (
              <span className={styles.named}>
                <span>{device || t('account.device-unknown')}</span>
                {current && <Badge tone="brand">{t('account.this-browser')}</Badge>}
              </span>
            ),
          },
          { id: 'address', title: t('account.address'), mono: true, width: '20%', cell: ({ address }) => address },
          {
            id: 'created',
            title: t('account.signed-in-at'),
            width: '20%',
            cell: ({ created }) => formatDateTime(created),
          },
          {
            id: 'active',
            title: t('account.last-active'),
            width: '16%',
            cell: ({ lastActive }) => (
              <span title={formatDateTime(lastActive)}>{formatRelative(Date.parse(lastActive), now())}</span>
            ),
          },
          {
            ...actionColumn(t('account.actions')),
            cell: (item) =>
              item.current ? (
                <Button size="small" onClick={signOut}>
                  {t('account.sign-out')}
                </Button>
              ) : (
                <Button size="small" onClick={() => setEnding([item])}>
                  {t('account.end')}
                </Button>
              ),
          },
        ]}
      />
      <EndDialog items={ending} onClose={() => setEnding(undefined)} />
    </Section>
  );
}

function EndDialog({ items, onClose }: { items: readonly SignInItem[] | undefined; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccount();
  const [isBusy, setBusy] = useState(false);

  const end = async () => {
    setBusy(true);
    const results = await Promise.allSettled((items ?? []).map(({ id }) => api(signInsRoutes.end, { params: { id } })));
    const failed = results.find((result) => result.status === 'rejected');
    await refresh();
    setBusy(false);
    onClose();
    if (failed) toast.show({ tone: 'bad', title: t('common.failed-title'), text: failureWords(t, failed.reason) });
    else toast.show({ tone: 'ok', title: t('account.ended', { count: results.length }) });
  };
  return (
    <ConfirmDialog
      open={items !== undefined}
      onOpenChange={onClose}
      title={t('account.end-title', { count: items?.length ?? 1 })}
      confirmWord={t('account.end')}
      cancelWord={t('account.cancel')}
      confirming={isBusy}
      onConfirm={() => void end()}
    >
      {t('account.end-text')}
    </ConfirmDialog>
  );
}
