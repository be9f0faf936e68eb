/** Who you are to sign-in providers: seen, linked in a window in which you prove it there, and unlinked. */
import { type IdentityItem, identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Icon } from '@gatehouse/design/icon';
import { Notice } from '@gatehouse/design/notice';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { Table } from '@gatehouse/design/table';
import { useToast } from '@gatehouse/design/toast';
import { useEffect, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { useProof } from '../../shared/credentials/use-proof.tsx';
import styles from './account.module.css';
import { useOwnIdentities, useRefreshAccount } from './account-queries.ts';
import { actionColumn } from './action-column.ts';
import { LinkButtons, type Linking, useLinking } from './link-buttons.tsx';
import { Section } from './section.tsx';

export function IdentitiesSection() {
  const t = useTranslate();
  const { providers } = usePageConfig().auth;
  const linking = useLinking();
  const identities = useOwnIdentities(linking.name !== undefined);
  const { name: begun, stop } = linking;
  const isLinked = identities.some(({ connector, isDoubted }) => connector === begun && !isDoubted);
  const [linked, setLinked] = useState<string>();
  // From then on nobody waits: unlinked again, they would be waited for once more.
  useEffect(() => {
    if (!isLinked) return;
    setLinked(begun);
    stop();
  }, [isLinked, begun, stop]);
  const isStillLinked = identities.some(({ connector }) => connector === linked);
  const [unlinking, setUnlinking] = useState<IdentityItem>();
  const shown = (connector: string) => providers.find(({ name }) => name === connector)?.displayName || connector;
  const free = providers.filter(
    ({ name }) => !identities.some(({ connector, isDoubted }) => connector === name && !isDoubted),
  );
  // Nothing to see and nothing to do: most gateways have no providers.
  if (identities.length === 0 && providers.length === 0) return null;
  return (
    <Section
      title={t('account.identities')}
      lead={t(identities.length === 0 ? 'account.no-identities-text' : 'account.identities-lead')}
      actions={<LinkButtons providers={free} linking={linking} />}
    >
      {free.length > 0 && (
        <Notice tone="warn" announce="none">
          {t('account.link-replaces')}
        </Notice>
      )}
      <LinkingNotice linking={linking} />
      {linked !== undefined && isStillLinked && begun === undefined && (
        <Notice tone="ok" onDismiss={() => setLinked(undefined)}>
          {t('account.linked', { name: shown(linked) })}
        </Notice>
      )}
      {identities.length > 0 && (
        <Table
          label={t('account.identities')}
          rows={identities}
          rowKey={({ connector }) => connector}
          columns={[
            {
              id: 'provider',
              title: t('account.provider'),
              cell: ({ connector, kind }) => (
                <span className={styles.named}>
                  <Icon of={providerIcon({ name: connector, type: kind })} />
                  <span>{shown(connector)}</span>
                </span>
              ),
            },
            {
              id: 'name',
              title: t('account.identity-name'),
              width: '26%',
              cell: ({ name, subject, trouble }) => (
                <span title={trouble ? asSentence(trouble) : subject}>{name || subject}</span>
              ),
            },
            {
              id: 'created',
              title: t('account.linked-since'),
              width: '20%',
              cell: ({ created }) => formatDateTime(created),
            },
            {
              id: 'confirmed',
              title: t('account.confirmed'),
              width: '20%',
              cell: ({ confirmed, isDoubted }) =>
                isDoubted ? (
                  <span title={t('account.doubted-text')}>
                    <Badge tone="warn">{t('account.doubted')}</Badge>
                  </span>
                ) : confirmed ? (
                  formatDateTime(confirmed)
                ) : (
                  t('account.never')
                ),
            },
            {
              ...actionColumn(t('account.actions')),
              cell: (identity) => (
                <Button
                  size="small"
                  tone="danger"
                  aria-label={t('account.unlink-one', { name: shown(identity.connector) })}
                  onClick={() => setUnlinking(identity)}
                >
                  {t('account.unlink')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {unlinking && (
        <UnlinkDialog identity={unlinking} name={shown(unlinking.connector)} onClose={() => setUnlinking(undefined)} />
      )}
      {linking.question}
    </Section>
  );
}

function LinkingNotice({ linking: { name, shownName, url, stop } }: { linking: Linking }) {
  const t = useTranslate();
  if (name === undefined) return null;
  return (
    <Notice
      actions={
        <>
          {url && (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {t('account.open-window')}
            </a>
          )}
          <Button size="small" onClick={stop}>
            {t('account.link-stop')}
          </Button>
        </>
      }
    >
      {url ? t('account.no-window') : t('account.linking', { name: shownName })}
    </Notice>
  );
}

interface UnlinkDialogProps {
  identity: IdentityItem;
  name: string;
  onClose: () => void;
}

function UnlinkDialog({ identity: { connector }, name, onClose }: UnlinkDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccount();
  const attempt = useAttempt();
  const title = t('account.unlink-title', { name });
  const { withProof, question } = useProof({ title, confirmWord: t('account.unlink') });
  const unlink = async () => {
    const isDone = await attempt.run(() => withProof(() => api(identityRoutes.unlinkOwn, { params: { connector } })));
    if (!isDone) return;
    onClose();
    toast.show({ tone: 'ok', title: t('account.unlinked', { name }) });
    await refresh();
  };
  return (
    <>
      <ConfirmDialog
        open
        onOpenChange={onClose}
        title={title}
        confirmWord={t('account.unlink')}
        cancelWord={t('account.cancel')}
        confirming={attempt.isBusy}
        onConfirm={() => void unlink()}
      >
        <div className={styles.stack}>
          <p>{t('account.unlink-text')}</p>
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        </div>
      </ConfirmDialog>
      {question}
    </>
  );
}
