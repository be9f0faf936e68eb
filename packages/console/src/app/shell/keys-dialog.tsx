/** All keys, so that they can be learnt. */
import { Dialog } from '@gatehouse/design/dialog';
import { KeyCaps } from '@gatehouse/design/key-cap';
import { Notice } from '@gatehouse/design/notice';
import { SHOWN_KEYS } from '../../evidence/recordings/player/player-keys.ts';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { KEY_HINTS, type KeyedCommand } from '../../sessions/terminal/terminal-keys.ts';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import styles from './keys-dialog.module.css';
import { useEntries } from './use-entries.ts';
import { commandKey } from './use-shell-keys.ts';

/** The compiler names whatever has a key and no word here. */
const LIST_WORDS: Record<Exclude<keyof typeof LIST_KEYS, 'all' | 'search'>, WordId> = {
  move: 'shell.key-move',
  act: 'shell.key-act',
  login: 'shell.key-login',
  details: 'shell.key-details',
  select: 'shell.key-select',
  create: 'shell.key-new',
  quick: 'shell.key-quick',
};
const TERMINAL_WORDS: Record<KeyedCommand, WordId> = {
  'new-tab': 'terminal.new-tab',
  find: 'terminal.find',
  copy: 'terminal.key-copy',
  'split-right': 'terminal.split-right',
  'split-down': 'terminal.split-down',
  'next-pane': 'terminal.key-next-pane',
  next: 'terminal.key-next',
  previous: 'terminal.key-previous',
  'move-right': 'terminal.key-move-right',
  'move-left': 'terminal.key-move-left',
  files: 'terminal.files',
  'full-screen': 'terminal.full-screen',
  larger: 'terminal.larger',
  smaller: 'terminal.smaller',
  leave: 'terminal.key-leave',
  close: 'terminal.close-tab',
};

interface KeysDialogProps {
  open: boolean;
  onClose: () => void;
}

export function KeysDialog({ open, onClose }: KeysDialogProps) {
  const t = useTranslate();
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
  const hints = <Name extends string>(words: Record<Name, WordId>, keys: Record<Name, readonly string[]>) =>
    (Object.keys(words) as Name[]).map((name) => ({ keys: keys[name], word: t(words[name]) }));
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={t('shell.keys-title')}
      size="large"
    >
      {shortcuts === 'off' && <Notice announce="none">{t('shell.keys-off')}</Notice>}
      <div className={styles.columns}>
        <div>
          <KeyList heading={t('shell.keys-anywhere')} hints={anywhere} />
          <KeyList heading={t('shell.keys-lists')} hints={hints(LIST_WORDS, LIST_KEYS)} />
          {screens.length > 0 && <KeyList heading={t('shell.keys-screens')} hints={screens} />}
        </div>
        <div>
          <KeyList heading={t('shell.keys-terminal')} hints={hints(TERMINAL_WORDS, KEY_HINTS)} />
          <KeyList
            heading={t('shell.keys-player')}
            hints={SHOWN_KEYS.map(({ keys, word }) => ({ keys, word: t(word) }))}
          />
        </div>
      </div>
    </Dialog>
  );
}

interface KeyListProps {
  heading: string;
  hints: readonly { keys: readonly string[]; word: string }[];
}

function KeyList({ heading, hints }: KeyListProps) {
  return (
    <section className={styles.list} aria-label={heading}>
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
