/** Shows what is about to be pasted, where it is more than a line. Enter pastes it, Escape does not. */
import { Button } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Dialog } from '@gatehouse/design/dialog';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { asOneLine, type Paste } from '../screen/paste.ts';
import styles from './pane.module.css';

const SHOWN_LINES = 12;

interface PasteDialogProps {
  paste: Paste;
  /** Undefined: nothing. Whether to ask again in this terminal is told beside it. */
  onAnswer: (text: string | undefined, isLast: boolean) => void;
}

export function PasteDialog({ paste, onAnswer }: PasteDialogProps) {
  const t = useTranslate();
  const [isLast, setLast] = useState(false);
  const lines = paste.text.split(/\r\n|\r|\n/);
  const more = paste.lines - SHOWN_LINES;
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(undefined, false)}
      title={t('terminal.paste-title', { lines: paste.lines })}
      footer={
        <>
          <Button onClick={() => onAnswer(undefined, false)}>{t('terminal.paste-cancel')}</Button>
          {paste.lines > 1 && (
            <Button onClick={() => onAnswer(asOneLine(paste.text), isLast)}>{t('terminal.paste-one-line')}</Button>
          )}
          <Button tone="primary" data-autofocus onClick={() => onAnswer(paste.text, isLast)}>
            {t('terminal.paste-confirm')}
          </Button>
        </>
      }
    >
      <p>
        {paste.lines > 1 && t('terminal.paste-text')} {paste.hadControls && t('terminal.paste-controls')}{' '}
        {t('terminal.paste-keys')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too */}
      <section className={styles.preview} tabIndex={0} aria-label={t('terminal.paste-preview')}>
        <code>{lines.slice(0, SHOWN_LINES).join('\n')}</code>
      </section>
      {more > 0 && <p>{t('terminal.paste-more', { count: more })}</p>}
      <Checkbox label={t('terminal.paste-last')} checked={isLast} onCheckedChange={setLast} />
    </Dialog>
  );
}
