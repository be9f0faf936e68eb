/** Asks as whom and into which database a workbench is opened, where its address does not say. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { titleOf, WayBadges } from '../db-badges.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import styles from './connect-dialog.module.css';
import { type DbChoice, lacks } from './db-choices.ts';
import { useDbChoice } from './use-db-choice.ts';

export function ChooseForm({ database, onOpen }: { database: Database; onOpen: (choice: DbChoice) => void }) {
  const t = useTranslate();
  const choosing = useDbChoice(database);
  const lacking = lacks(database);
  if (lacking) return <Notice tone="warn">{t(`db-connect.lacks-${lacking}`)}</Notice>;
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (choosing.isChosen) onOpen(choosing.choice);
      }}
    >
      <h2 className={styles.heading}>{database.name}</h2>
      <p className={styles.what}>
        {titleOf(database)} <code>{database.hostname}</code> <WayBadges database={database} />
      </p>
      <ChoiceFields choosing={choosing} />
      <p>
        <Button
          type="submit"
          tone="primary"
          disabled={!choosing.isChosen}
          disabledReason={t('db-connect.choose-first')}
        >
          {t('db-connect.workbench')}
        </Button>
      </p>
    </form>
  );
}
