/** The keys that the keyboard of a phone does not have. */
import { classNames } from '@gatehouse/design/class-names';
import { useStore } from '../../platform/browser/store.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import styles from './console.module.css';
import { type LiveTerminal, onlyWatches } from './session/live-terminal.ts';
import { BAR_KEYS } from './session/typed-keys.ts';

const SPOKEN: Record<string, WordId> = {
  '↑': 'terminal.key-up',
  '↓': 'terminal.key-down',
  '←': 'terminal.key-left',
  '→': 'terminal.key-right',
};

export function KeyBar({ live }: { live: LiveTerminal }) {
  const t = useTranslate();
  const { modifiers, session } = useStore(live.view);
  // Who only looks on has nothing to press them for.
  if (onlyWatches({ session })) return null;
  return (
    <div className={styles.keys} role="toolbar" aria-label={t('terminal.keys')}>
      {BAR_KEYS.map((key) => {
        const isHeld = 'holds' in key && modifiers[key.holds];
        const spoken = SPOKEN[key.name];
        return (
          <button
            key={key.name}
            type="button"
            className={classNames(styles.key, isHeld && styles.held)}
            aria-label={spoken && t(spoken)}
            aria-pressed={'holds' in key ? isHeld : undefined}
            // Pressed without taking the focus, or the phone would put its own keyboard away.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => ('holds' in key ? live.press({ [key.holds]: !modifiers[key.holds] }) : live.type(key.types))}
          >
            <kbd>{key.name}</kbd>
          </button>
        );
      })}
    </div>
  );
}
