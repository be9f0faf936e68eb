/** Makes a user and gives out the link with which they set their credentials. */
import { INVITE_HOURS, newUserName, userRoutes } from '@gatehouse/contract/identity/users/users';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useRefreshAccess } from '../../shared/access-questions/access-queries.ts';
import { RolePicker } from '../../shared/access-questions/role-picker.tsx';
import { type Link, MadeLinkDialog } from './made-link.tsx';
import { TraitFields, type TraitValues } from './trait-fields.tsx';
import { MissingTraits, UserEffects, useUserEffects } from './user-effects.tsx';
import styles from './users.module.css';

const HOURS = ['1', '8', '24', '48'] as const;
type Hours = (typeof HOURS)[number];
const HOUR_SECONDS = 3600;
/** Stands for somebody who has no name yet; nobody can be called so. */
const NOBODY = '-';

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshAccess();
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<string[]>([]);
  const [traits, setTraits] = useState<TraitValues>({});
  const [hours, setHours] = useState<Hours>(`${INVITE_HOURS}`);
  const [isLeft, setLeft] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [made, setMade] = useState<Link>();
  const attempt = useAttempt();
  const [asked, setAsked] = useState(0);
  const whatIf = useUserEffects({ name: name.trim() || NOBODY, roles, traits: given(traits) }, roles.length > 0);

  const nameError = nameProblem(name);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (nameError || roles.length === 0) return;
    await attempt.run(async () => {
      const body = { name: name.trim(), roles, traits: given(traits), ttlSeconds: Number(hours) * HOUR_SECONDS };
      const { inviteUrl, expires, notes } = await api(userRoutes.invite, { body });
      setMade({ user: body.name, link: inviteUrl, expires, kind: 'invite', notes });
      await refresh();
    });
  };
  if (made) {
    return <MadeLinkDialog title={t('users.made-title', { user: made.user })} onClose={onClose} {...made} />;
  }
  return (
    <FormDialog
      dismissable={!attempt.isBusy}
      title={t('users.new')}
      cancelWord={t('access.cancel')}
      doWord={t('users.make-invite')}
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
      className={styles.stack}
    >
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <TextField
        label={t('users.name')}
        hint={t('users.name-hint')}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        value={name}
        onValueChange={setName}
        onBlur={() => setLeft(name !== '')}
        error={nameError && (isChecked || isLeft) ? t(nameError) : undefined}
      />
      <RolePicker
        value={roles}
        onValueChange={setRoles}
        error={isChecked && roles.length === 0 ? t('access.roles-missing') : undefined}
      />
      <MissingTraits whatIf={whatIf} onGive={() => setAsked(asked + 1)} />
      <TraitFields value={traits} onValueChange={setTraits} asked={asked} />
      <Select
        label={t('users.link-life')}
        value={hours}
        onValueChange={setHours}
        options={HOURS.map((value) => ({ value, label: t('users.hours', { count: Number(value) }) }))}
      />
      {roles.length > 0 && whatIf.mayAsk && <UserEffects title={t('effects.title-new')} whatIf={whatIf} />}
    </FormDialog>
  );
}

function nameProblem(name: string) {
  if (name.trim() === '') return 'users.name-missing';
  return newUserName.safeParse(name).success ? undefined : 'users.name-wrong';
}

function given(traits: TraitValues): TraitValues {
  return Object.fromEntries(Object.entries(traits).filter(([, values]) => values.length > 0));
}
