/** Before somebody links themselves: what else opens their account, and which of it is theirs. What is not ticked ends with the link. */
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import type { OwnKey } from '@gatehouse/contract/identity/connectors/own-keys';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { type Translate, useTranslate, type WordId } from '../../platform/i18n/words.ts';
import styles from './account.module.css';

interface OwnKeysDialogProps {
  connector: string;
  /** Of the provider, as it is shown. */
  name: string;
  isBusy: boolean;
  failure: string | undefined;
  onClose: () => void;
  onContinue: (keep: string[]) => void;
}

export function OwnKeysDialog({ connector, name, isBusy, failure, onClose, onContinue }: OwnKeysDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const [named, setNamed] = useState<ReadonlySet<string>>(new Set());
  // Asked anew each time: what was made since must be seen, and the gateway ends what was not.
  const { data, error } = useQuery({
    queryKey: ['own-keys', connector],
    queryFn: ({ signal }) => api(identityRoutes.ownKeys, { query: { connector } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const others = data?.keys.filter(({ stays }) => stays === undefined) ?? [];
  const staying = data?.keys.filter(({ stays }) => stays !== undefined) ?? [];
  const tick = (id: string, isNamed: boolean) => {
    const next = new Set(named);
    if (isNamed) next.add(id);
    else next.delete(id);
    setNamed(next);
  };
  return (
    <Dialog
      open
      size="large"
      onOpenChange={onClose}
      dismissable={!isBusy}
      title={t('account.link-title', { name })}
      footer={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            {t('account.cancel')}
          </Button>
          <Button
            tone="primary"
            loading={isBusy}
            disabled={data === undefined}
            disabledReason={t('account.keys-wait')}
            onClick={() => onContinue([...named])}
          >
            {t('account.continue')}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t('account.link-text')}</p>
        {failure && <Notice tone="bad">{failure}</Notice>}
        {error && <Notice tone="bad">{failureWords(t, error)}</Notice>}
        {data === undefined && !error && <Spinner />}
        {data?.isLastAdministrator && <Notice announce="none">{t('account.keys-last')}</Notice>}
        {others.length > 0 && (
          <fieldset className={styles.keys}>
            <legend>{t('account.keys-ask')}</legend>
            {others.map((key) => (
              <Checkbox
                key={key.id}
                label={keyName(t, key)}
                hint={keyHint(t, key)}
                disabled={!key.mayStay || isBusy}
                checked={named.has(key.id)}
                onCheckedChange={(isNamed) => tick(key.id, isNamed)}
              />
            ))}
          </fieldset>
        )}
        {staying.length > 0 && (
          <p className={styles.lead}>
            {t('account.keys-stay', { names: staying.map((key) => keyName(t, key)).join(', ') })}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** Why some end whatever is ticked. */
const WHY_ENDS: Partial<Record<OwnKey['type'], WordId>> = {
  password: 'account.password-ends',
  codes: 'account.codes-end',
};

function keyName(t: Translate, { type, name }: OwnKey): string {
  return t(`account.key-${type}`, { name });
}

function keyHint(t: Translate, key: OwnKey): string {
  const { type, created, lastUsed, address, mayStay, givesRoles, expires, scope } = key;
  return [
    asWhom(t, key),
    scope && t(`account.scope-${scope}`),
    created && t('account.key-made', { when: formatDateTime(created) }),
    address && t('account.key-from', { address }),
    expires && t('account.key-expires', { when: formatDateTime(expires) }),
    lastUsed && t('account.key-used', { when: formatDateTime(lastUsed) }),
    givesRoles && t('account.key-gives'),
    !mayStay && t(WHY_ENDS[type] ?? 'account.key-ends'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Who comes in by a link: the connector alone would not tell theirs from somebody else's. */
function asWhom(t: Translate, { subject, calledThere }: OwnKey): string | undefined {
  if (subject === undefined) return undefined;
  return calledThere === undefined || calledThere === subject
    ? t('account.key-subject', { subject })
    : t('account.key-called', { name: calledThere, subject });
}
