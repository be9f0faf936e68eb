/** Locks somebody or something: from then on it may not be used, and what is open ends. */
import { LOCK_TARGETS, type LockTarget, lockRoutes } from '@gatehouse/contract/locks/locks';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useId, useState } from 'react';
import { useRefreshAccess, useRoles, useUsers } from '../access/access-queries.ts';
import { useAttempt } from '../credentials/use-attempt.ts';
import { useUser } from '../sign-in/user.ts';
import { useWords } from '../words/words.ts';
import { useApi } from '../world/use-api.ts';
import { type Target, targetWords } from './lock-words.ts';
import styles from './locks.module.css';

const LENGTHS = ['open', '3600', '86400', '604800', '2592000'] as const;
type Length = (typeof LENGTHS)[number];

interface LockDialogProps {
  /** What to lock, where that is clear from the place; otherwise it is asked. */
  target?: Target;
  onClose: () => void;
}

export function LockDialog({ target: given, onClose }: LockDialogProps) {
  const t = useWords();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const formId = useId();
  const { userName } = useUser();
  const [kind, setKind] = useState<LockTarget>(given?.kind ?? 'user');
  const [name, setName] = useState(given?.name ?? '');
  const [message, setMessage] = useState('');
  const [length, setLength] = useState<Length>('open');
  const [isChecked, setChecked] = useState(false);
  const attempt = useAttempt();
  const target = { kind, name: name.trim() };

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (target.name === '') return;
    const ttl = length === 'open' ? {} : { ttlSeconds: Number(length) };
    const body = { targets: { [kind]: target.name }, message: message.trim(), ...ttl };
    const isDone = await attempt.run(() => api(lockRoutes.create, { params: { clusterId: CURRENT_CLUSTER }, body }));
    if (!isDone) return;
    onClose();
    toast.show({ tone: 'ok', title: targetWords(t, target) });
    await refresh();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!attempt.isBusy}
      title={given ? t('locks.new-on', { what: given.name }) : t('locks.new')}
      footer={
        <>
          <Button onClick={onClose}>{t('access.cancel')}</Button>
          <Button type="submit" form={formId} tone="danger-solid" loading={attempt.isBusy}>
            {t('locks.lock')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
        <p className={styles.lead}>{t(`locks.effect-${kind}`)}</p>
        {kind === 'user' && target.name === userName && (
          <Notice tone="warn" announce="none">
            {t('locks.yourself')}
          </Notice>
        )}
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        {!given && (
          <div className={styles.pair}>
            <Select
              label={t('locks.kind')}
              value={kind}
              onValueChange={setKind}
              options={LOCK_TARGETS.map((value) => ({ value, label: t(`locks.kind-${value}`) }))}
            />
            <NameField
              kind={kind}
              value={name}
              onValueChange={setName}
              error={isChecked && target.name === '' ? t('locks.name-missing') : undefined}
            />
          </div>
        )}
        <TextField
          label={t('locks.reason')}
          hint={t('locks.reason-hint')}
          optional
          maxLength={500}
          autoComplete="off"
          value={message}
          onValueChange={setMessage}
        />
        <Select
          label={t('locks.length')}
          value={length}
          onValueChange={setLength}
          options={LENGTHS.map((value) => ({ value, label: t(`locks.length-${value}`) }))}
        />
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  kind: LockTarget;
  value: string;
  onValueChange: (name: string) => void;
  error: string | undefined;
}

/** Offers the names there are for users and roles; the others are typed. */
function NameField({ kind, value, onValueChange, error }: NameFieldProps) {
  const t = useWords();
  const listId = useId();
  const users = useUsers().data ?? [];
  const roles = useRoles().data ?? [];
  const known = { user: users, role: roles }[kind as string] ?? [];
  return (
    <>
      <TextField
        label={t(`locks.name-${kind}`)}
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        list={known.length > 0 ? listId : undefined}
        value={value}
        onValueChange={onValueChange}
        error={error}
      />
      <datalist id={listId}>
        {known.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
