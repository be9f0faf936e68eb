/** The keys that the keyboard of a phone does not have. */
import { classNames } from '@gatehouse/design/class-names';
import { useState } from 'react';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import type { KeySender } from '../keys/key-sender.ts';
import styles from './keys.module.css';

interface BarKey {
  name: string;
  codes: readonly string[];
  spoken?: WordId;
  /** Waits for the next key. */
  isHeld?: true;
}

const BAR_KEYS: readonly BarKey[] = [
  { name: 'Esc', codes: ['Escape'] },
  { name: 'Tab', codes: ['Tab'] },
  { name: '⊞', codes: ['MetaLeft'], spoken: 'desktop.key-windows-name' },
  { name: 'Alt Tab', codes: ['AltLeft', 'Tab'] },
  { name: '↑', codes: ['ArrowUp'], spoken: 'desktop.key-up' },
  { name: 'Del', codes: ['Delete'] },
  { name: 'Ctrl', codes: ['ControlLeft'], isHeld: true },
  { name: 'Alt', codes: ['AltLeft'], isHeld: true },
  { name: 'Shift', codes: ['ShiftLeft'], isHeld: true },
  { name: '←', codes: ['ArrowLeft'], spoken: 'desktop.key-left' },
  { name: '↓', codes: ['ArrowDown'], spoken: 'desktop.key-down' },
  { name: '→', codes: ['ArrowRight'], spoken: 'desktop.key-right' },
];

export function KeyBar({ keys }: { keys: KeySender }) {
  const t = useTranslate();
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const press = ({ name, codes, isHeld }: BarKey) => {
    const [code = ''] = codes;
    if (!isHeld) {
      keys.chord(...codes);
      return setHeld(new Set());
    }
    const isOn = !held.has(name);
    keys.hold(code, isOn);
    setHeld(isOn ? new Set([...held, name]) : new Set([...held].filter((other) => other !== name)));
  };
  return (
    // A part of the page of its own: it lies beside what the page is about.
    <section className={styles.keyBar} aria-label={t('desktop.key-bar')}>
      {BAR_KEYS.map((key) => (
        <button
          key={key.name}
          type="button"
          className={classNames(styles.barKey, held.has(key.name) && styles.barKeyHeld)}
          aria-label={key.spoken && t(key.spoken)}
          aria-pressed={key.isHeld && held.has(key.name)}
          // Pressed without taking the focus, or the phone would put its own keyboard away.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => press(key)}
        >
          <kbd>{key.name}</kbd>
        </button>
      ))}
    </section>
  );
}
