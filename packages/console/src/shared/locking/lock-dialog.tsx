/** Locks somebody or something: from then on it may not be used, and what is open ends. */

import {
  LOCK_TARGETS,
  type LockItem,
  type LockTarget,
  lockRoutes,
  unknownTarget,
} from '@gatehouse/contract/access/locks/locks';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { CallError } from '@gatehouse/contract/wire/client';
import { Button } from '@gatehouse/design/button';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useId, useState } from 'react';
import type { z } from 'zod';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useRefreshAccess, useRoles, useUsers } from '../access-questions/access-queries.ts';
import { LockTermsFields, lockSeconds, OPEN_END } from './lock-terms.tsx';
import { endedWords, type Target, targetWords } from './lock-words.ts';
import styles from './locking.module.css';

interface LockDialogProps {
  /** What to lock, where that is clear from the place; otherwise it is asked. */
  target?: Target;
  onClose: () => void;
}

export function LockDialog({ target: given, onClose }: LockDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const { userName } = useUser();
  const [kind, setKind] = useState<LockTarget>(given?.kind ?? 'user');
  const [name, setName] = useState(given?.name ?? '');
  const [terms, setTerms] = useState(OPEN_END);
  const [isChecked, setChecked] = useState(false);
  const [unknown, setUnknown] = useState<Unknown>();
  const attempt = useAttempt();
  const target = { kind, name: name.trim() };

  const lock = async (locked: Target, force: boolean) => {
    setUnknown(undefined);
    const ttlSeconds = lockSeconds(terms);
    const body = { targets: { [locked.kind]: locked.name }, message: terms.reason.trim(), force, ttlSeconds };
    let made: LockItem | undefined;
    const isDone = await attempt.run(async () => {
      try {
        made = await api(lockRoutes.create, { params: { clusterId: CURRENT_CLUSTER }, body });
      } catch (error) {
        const nobody = unknownTarget.safeParse(error instanceof CallError ? error.fields : undefined).data;
        if (!nobody) throw error;
        setUnknown(nobody.unknownTarget);
      }
    });
    if (!isDone || !made) return;
    onClose();
    toast.show({ tone: 'ok', title: targetWords(t, locked), text: endedWords(t, made.ended) });
    await refresh();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (target.name !== '') void lock(target, false);
  };
  const change = (name: string) => {
    setName(name);
    setUnknown(undefined);
  };
  return (
    <FormDialog
      dismissable={!attempt.isBusy}
      title={given ? t('locks.new-on', { what: given.name }) : t('locks.new')}
      cancelWord={t('access.cancel')}
      doWord={t('locks.lock')}
      tone="danger-solid"
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
      className={styles.stack}
    >
      <p className={styles.lead}>{t(`locks.effect-${kind}`)}</p>
      {kind === 'user' && target.name === userName && (
        <Notice tone="warn" announce="none">
          {t('locks.yourself')}
        </Notice>
      )}
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {unknown && (
        <UnknownNotice
          unknown={unknown}
          onMeant={(name) => {
            change(name);
            void lock({ kind, name }, false);
          }}
          onAnyway={() => void lock(target, true)}
        />
      )}
      {!given && (
        <div className={styles.pair}>
          <Select
            label={t('locks.kind')}
            value={kind}
            onValueChange={(next) => {
              setKind(next);
              setUnknown(undefined);
            }}
            options={LOCK_TARGETS.map((value) => ({ value, label: t(`locks.kind-${value}`) }))}
          />
          <NameField
            kind={kind}
            value={name}
            onValueChange={change}
            error={isChecked && target.name === '' ? t('locks.name-missing') : undefined}
          />
        </div>
      )}
      <LockTermsFields value={terms} onValueChange={setTerms} />
    </FormDialog>
  );
}

type Unknown = z.output<typeof unknownTarget>['unknownTarget'];

interface UnknownNoticeProps {
  unknown: Unknown;
  onMeant: (name: string) => void;
  onAnyway: () => void;
}

/** A lock on a name nobody has stops nobody: in an emergency that must not look like help. */
function UnknownNotice({ unknown: { kind, name, meant }, onMeant, onAnyway }: UnknownNoticeProps) {
  const t = useTranslate();
  return (
    <Notice
      tone="warn"
      title={t(`locks.unknown-${kind}`, { name })}
      actions={
        <>
          {meant !== undefined && (
            <Button size="small" onClick={() => onMeant(meant)}>
              {t('locks.lock-meant', { name: meant })}
            </Button>
          )}
          <Button size="small" tone="danger" onClick={onAnyway}>
            {t('locks.lock-anyway')}
          </Button>
        </>
      }
    >
      {meant !== undefined && t('locks.meant', { name: meant })}
    </Notice>
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
  const t = useTranslate();
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
