/** All keys, so that they can be learnt. */
import { Dialog } from '@gatehouse/design/dialog';
import { KeyCaps } from '@gatehouse/design/key-cap';
import { Notice } from '@gatehouse/design/notice';
import { useWords } from '../../words/words.ts';
import { usePreference } from '../../world/preferences.ts';
import { commandKey } from './command-key.ts';
import styles from './keys-dialog.module.css';
import { useEntries } from './use-entries.ts';

interface KeysDialogProps {
  open: boolean;
  onClose: () => void;
}

export function KeysDialog({ open, onClose }: KeysDialogProps) {
  const t = useWords();
  const [shortcuts] = usePreference('shortcuts');
  const entries = useEntries() ?? [];
  const anywhere = [
    { keys: [commandKey(), 'K'], word: t('shell.key-palette') },
    { keys: ['/'], word: t('shell.key-search') },
    { keys: ['['], word: t('shell.key-navigation') },
    { keys: ['?'], word: t('shell.key-help') },
    { keys: ['Esc'], word: t('shell.key-close') },
  ];
  const screens = entries.map((entry) => ({ keys: ['G', entry.key.toUpperCase()], word: t(entry.label) }));
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={t('shell.keys-title')}
    >
      {shortcuts === 'off' && <Notice announce="none">{t('shell.keys-off')}</Notice>}
      <KeyList heading={t('shell.keys-anywhere')} hints={anywhere} />
      {screens.length > 0 && <KeyList heading={t('shell.keys-screens')} hints={screens} />}
    </Dialog>
  );
}

interface KeyListProps {
  heading: string;
  hints: readonly { keys: readonly string[]; word: string }[];
}

function KeyList({ heading, hints }: KeyListProps) {
  return (
    <section>
      <h3 className={styles.heading}>{heading}</h3>
      <ul>
        {hints.map((hint) => (
          <li key={hint.word} className={styles.row}>
            {hint.word}
            <KeyCaps keys={hint.keys} />
          </li>
        ))}
      </ul>
    </section>
  );
}
