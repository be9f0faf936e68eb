/** Shows what is about to be pasted, where it is more than a line. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useWords } from '../../words/words.ts';
import styles from '../console.module.css';
import type { Paste } from '../screen/paste.ts';

const SHOWN_LINES = 12;

interface PasteDialogProps {
  paste: Paste;
  onAnswer: (isWanted: boolean) => void;
}

export function PasteDialog({ paste, onAnswer }: PasteDialogProps) {
  const t = useWords();
  const lines = paste.text.split(/\r\n|\r|\n/);
  const more = paste.lines - SHOWN_LINES;
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onAnswer(false)}
      title={t('terminal.paste-title', { lines: paste.lines })}
      confirmWord={t('terminal.paste-confirm')}
      cancelWord={t('terminal.paste-cancel')}
      tone="primary"
      onConfirm={() => onAnswer(true)}
    >
      <p>
        {paste.lines > 1 && t('terminal.paste-text')} {paste.hadControls && t('terminal.paste-controls')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too */}
      <section className={styles.preview} tabIndex={0} aria-label={t('terminal.paste-preview')}>
        <code>{lines.slice(0, SHOWN_LINES).join('\n')}</code>
      </section>
      {more > 0 && <p>{t('terminal.paste-more', { count: more })}</p>}
    </ConfirmDialog>
  );
}
