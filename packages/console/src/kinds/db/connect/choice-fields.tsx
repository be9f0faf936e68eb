/** The two fields of the way into a database. */
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ChoiceField } from './choice-field.tsx';
import styles from './connect-dialog.module.css';
import type { useDbChoice } from './use-db-choice.ts';

export function ChoiceFields({
  choosing: { choice, users, names, choose },
}: {
  choosing: ReturnType<typeof useDbChoice>;
}) {
  const t = useTranslate();
  return (
    <div className={styles.pair}>
      <ChoiceField
        label={t('db-connect.user')}
        hint={t('db-connect.user-hint')}
        autoFocus
        choices={users}
        value={choice.dbUser}
        onValue={(dbUser) => choose({ dbUser })}
      />
      <ChoiceField
        label={t('db-connect.name')}
        hint={t('db-connect.name-hint')}
        choices={names}
        value={choice.dbName}
        onValue={(dbName) => choose({ dbName })}
      />
    </div>
  );
}
