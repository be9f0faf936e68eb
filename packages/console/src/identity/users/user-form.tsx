/** The roles and traits of a user, edited in place and saved together. */

import { TRAITS } from '@gatehouse/contract/identity/users/traits';
import { type UserRecord, userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useRefreshAccess, useUserRecord } from '../../shared/access-questions/access-queries.ts';
import { RolePicker } from '../../shared/access-questions/role-picker.tsx';
import { ProvidedRights } from './provided-rights.tsx';
import { RoleChips } from './role-chips.tsx';
import { sameNames, sameTraits, TraitFields, type TraitValues } from './trait-fields.tsx';
import { MissingTraits, UserEffects, useUserEffects } from './user-effects.tsx';
import { isLocal, type UserRow } from './user-facts.ts';
import styles from './users.module.css';

export function UserForm({ row }: { row: UserRow }) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const record = useUserRecord(row.name);
  if (!userAcl.users.read) {
    return (
      <>
        <RoleChips roles={row.roles} />
        <p className={styles.lead}>{t('users.not-readable')}</p>
      </>
    );
  }
  if (record.isError) return <Notice tone="bad">{failureWords(t, record.error)}</Notice>;
  if (!record.data) return <Spinner />;
  if (!isLocal(row)) return <ProvidedRights row={row} record={record.data} />;
  return <RecordForm row={row} record={record.data} mayEdit={userAcl.users.edit} />;
}

interface RecordFormProps {
  row: UserRow;
  record: UserRecord;
  mayEdit: boolean;
}

interface Draft {
  roles: string[];
  traits: TraitValues;
  /** What the draft was made from: an edit of somebody else's must not be overwritten unseen. */
  revision: string | undefined;
}

function RecordForm({ row, record, mayEdit }: RecordFormProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const [draft, setDraft] = useState<Draft>();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  const shown: Draft = draft ?? { roles: record.roles, traits: record.traits, revision: record.revision };
  const isChanged = !sameNames(shown.roles, record.roles) || !sameTraits(shown.traits, record.traits);
  // An absent trait would stay; one that was emptied must be sent as such.
  const traits = Object.fromEntries(TRAITS.map((trait) => [trait, shown.traits[trait] ?? []]));
  // Also as they are: a role that finds no logins is told before anybody touches anything.
  const whatIf = useUserEffects({ name: row.name, roles: shown.roles, traits }, mayEdit);
  const [asked, setAsked] = useState(0);
  const isOvertaken = draft !== undefined && draft.revision !== record.revision;
  const edit = (change: Partial<Draft>) => {
    setFailure(undefined);
    setDraft({ ...shown, ...change });
  };
  const discard = () => {
    setFailure(undefined);
    setDraft(undefined);
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isChanged || shown.roles.length === 0 || isBusy) return;
    setBusy(true);
    setFailure(undefined);
    const { revision } = shown;
    const body = { name: row.name, roles: shown.roles, traits, ...(revision === undefined ? {} : { revision }) };
    try {
      await api(userRecordRoutes.update, { body });
      await refresh();
      setDraft(undefined);
      toast.show({ tone: 'ok', title: t('users.saved', { user: row.name }) });
    } catch (error) {
      // Theirs is fetched and shown beside; what was typed stays.
      if (refusalOf(error)?.code === 'compare_failed') await refresh();
      else setFailure(failureWords(t, error));
    }
    setBusy(false);
  };
  return (
    <form className={styles.stack} onSubmit={(event) => void save(event)} noValidate>
      {isOvertaken && (
        <Overtaken record={record} onTheirs={discard} onMine={() => edit({ revision: record.revision })} />
      )}
      {failure && <Notice tone="bad">{failure}</Notice>}
      <RolePicker
        value={shown.roles}
        onValueChange={(roles) => edit({ roles })}
        disabled={!mayEdit}
        error={shown.roles.length === 0 ? t('access.roles-missing') : undefined}
      />
      <MissingTraits whatIf={whatIf} onGive={() => setAsked(asked + 1)} />
      <TraitFields
        value={shown.traits}
        onValueChange={(next) => edit({ traits: next })}
        disabled={!mayEdit}
        asked={asked}
      />
      {isChanged && whatIf.mayAsk && shown.roles.length > 0 && (
        <UserEffects title={t('effects.title')} whatIf={whatIf} />
      )}
      {isChanged && (
        <div className={styles.saving}>
          <span>{t('users.unsaved')}</span>
          <Button tone="ghost" onClick={discard}>
            {t('access.discard')}
          </Button>
          <Button type="submit" tone="primary" loading={isBusy} disabled={isOvertaken}>
            {t('access.save')}
          </Button>
        </div>
      )}
    </form>
  );
}

interface OvertakenProps {
  record: UserRecord;
  onTheirs: () => void;
  onMine: () => void;
}

function Overtaken({ record, onTheirs, onMine }: OvertakenProps) {
  const t = useTranslate();
  return (
    <Notice
      tone="warn"
      title={t('users.overtaken')}
      actions={
        <>
          <Button size="small" onClick={onTheirs}>
            {t('users.take-theirs')}
          </Button>
          <Button size="small" onClick={onMine}>
            {t('users.keep-mine')}
          </Button>
        </>
      }
    >
      {t('users.overtaken-text', { roles: record.roles.join(', ') })}
    </Notice>
  );
}
