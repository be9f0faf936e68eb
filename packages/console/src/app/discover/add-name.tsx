/** Writes one more name into the own user's record, where a role takes names from there. The gateway's rules about giving more than one has hold. */
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import type { Principal } from '@gatehouse/contract/kinds/kind';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import styles from './flow-screen.module.css';

interface AddNameProps {
  principal: Principal;
  /** What stands in the field at first. */
  first: string;
}

export function AddName({ principal: { field, userTrait }, first }: AddNameProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const { userName } = useOwnUser();
  const [typed, setTyped] = useState(first);
  if (userTrait === undefined) return null;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === '') return;
    const isTaken = await attempt.run(async () => {
      const { roles, traits, revision } = await api(userRecordRoutes.get, { params: { username: userName } });
      const had = traits[userTrait] ?? [];
      const now = { [userTrait]: [...new Set([...had, name])] };
      await api(userRecordRoutes.update, { body: { name: userName, roles, traits: now, revision } });
    });
    if (!isTaken) return;
    setTyped('');
    for (const key of ['access', 'user', 'resources']) await queries.invalidateQueries({ queryKey: [key] });
  };
  return (
    <form className={styles.addName} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={t(`discover.add-${userTrait}`)}
        hint={t('discover.add-name-hint')}
        mono
        maxLength={256}
        value={typed}
        onValueChange={(next) => {
          setTyped(next);
          attempt.forget();
        }}
      />
      <Button type="submit" loading={attempt.isBusy} aria-label={t('discover.add-name-label', { field })}>
        {t('discover.add-name')}
      </Button>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
    </form>
  );
}
