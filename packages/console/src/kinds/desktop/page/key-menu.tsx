/** Keys that this machine keeps for itself, the layout of the keyboard, and how it is sent. */
import { Button } from '@gatehouse/design/button';
import { KeyCaps } from '@gatehouse/design/key-cap';
import { Popover, PopoverClose } from '@gatehouse/design/popover';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { useState } from 'react';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import type { KeyMode } from '../keys/key-sender.ts';
import type { KeyboardChoice } from '../keys/layout-memory.ts';
import { LAYOUTS, layoutOf } from '../keys/layouts.ts';
import page from './desktop.module.css';
import styles from './keys.module.css';

interface Chord {
  word: WordId;
  caps: readonly string[];
  codes: readonly string[];
  /** What does the same without this menu. */
  instead?: readonly string[];
}

const CHORDS: readonly Chord[] = [
  {
    word: 'desktop.key-secure',
    caps: ['Ctrl', 'Alt', 'Del'],
    codes: ['ControlLeft', 'AltLeft', 'Delete'],
    instead: ['Ctrl', 'Alt', 'End'],
  },
  { word: 'desktop.key-windows', caps: ['Windows'], codes: ['MetaLeft'], instead: ['Ctrl', 'Esc'] },
  { word: 'desktop.key-switch', caps: ['Alt', 'Tab'], codes: ['AltLeft', 'Tab'], instead: ['Alt', 'PgUp'] },
  { word: 'desktop.key-close', caps: ['Alt', 'F4'], codes: ['AltLeft', 'F4'] },
  { word: 'desktop.key-print', caps: ['Print Screen'], codes: ['PrintScreen'] },
  { word: 'desktop.key-tab', caps: ['Ctrl', 'W'], codes: ['ControlLeft', 'KeyW'] },
];

const HOST = '0';

export interface KeyMenuProps {
  keyboard: KeyboardChoice & { isGuessed: boolean };
  onKeyboard: (next: KeyboardChoice) => void;
  /** False where hosts are told what a key writes here, as by VNC. */
  hasLayout: boolean;
  onChord: (codes: readonly string[]) => void;
  locksKeys: boolean;
  onLocksKeys: (locks: boolean) => void;
  onOpenChange: (isOpen: boolean) => void;
}

export function KeyMenu(props: KeyMenuProps) {
  const t = useTranslate();
  const { keyboard, hasLayout } = props;
  const tag = hasLayout ? layoutOf(keyboard.layout)?.tag : undefined;
  return (
    <Popover
      label={t('desktop.keys')}
      className={styles.keyMenu}
      onOpenChange={props.onOpenChange}
      trigger={
        <Button size="small" tone="ghost">
          {t('desktop.keys')}
          <span className={styles.layoutTag}>{tag ?? ''}</span>
        </Button>
      }
    >
      <KeyChoices {...props} />
    </Popover>
  );
}

export function KeyChoices({ keyboard, onKeyboard, hasLayout, onChord, locksKeys, onLocksKeys }: KeyMenuProps) {
  const t = useTranslate();
  const { layout, mode, isGuessed } = keyboard;
  const [first] = useState(layout);
  const modes: readonly { value: KeyMode; label: string }[] = [
    { value: 'keys', label: t('desktop.mode-keys') },
    { value: 'characters', label: t('desktop.mode-characters') },
  ];
  return (
    <>
      <h2 className={styles.menuHeading}>{t('desktop.send-keys')}</h2>
      <ul className={styles.chords}>
        {CHORDS.map(({ word, caps, codes, instead }) => (
          <li key={word}>
            <PopoverClose>
              <button type="button" className={styles.chord} onClick={() => onChord(codes)}>
                <KeyCaps keys={caps} />
                <span>{t(word)}</span>
                {instead && <span className={styles.instead}>{instead.join(' ')}</span>}
              </button>
            </PopoverClose>
          </li>
        ))}
      </ul>
      <div className={styles.keyOptions}>
        {hasLayout && (
          <Select
            label={t('desktop.layout')}
            value={String(layout)}
            options={[
              { value: HOST, label: t('desktop.layout-host') },
              ...LAYOUTS.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onValueChange={(value) => onKeyboard({ mode, layout: Number(value) })}
            hint={
              layout !== first
                ? t('desktop.layout-later')
                : t(
                    !isGuessed
                      ? 'desktop.layout-chosen'
                      : layout === 0
                        ? 'desktop.layout-unknown'
                        : 'desktop.layout-guessed',
                  )
            }
          />
        )}
        <div className={styles.option}>
          <span>{t('desktop.send-as')}</span>
          <SegmentedControl
            label={t('desktop.send-as')}
            size="small"
            segments={modes}
            value={mode}
            onValueChange={(next) => onKeyboard({ layout, mode: next })}
          />
        </div>
        {mode === 'characters' && <p className={page.faint}>{t('desktop.mode-characters-text')}</p>}
        {canLockKeys() && <Switch label={t('desktop.lock-keys')} checked={locksKeys} onCheckedChange={onLocksKeys} />}
      </div>
    </>
  );
}

interface KeyboardLock {
  lock?(): Promise<void>;
  unlock?(): void;
}

function keyboardOf(): KeyboardLock | undefined {
  return (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard;
}

/** Chromium alone. */
export function canLockKeys(): boolean {
  return keyboardOf()?.lock !== undefined;
}

/** Escape, Alt+Tab and the like go to the desktop while it has the whole screen. */
export function lockKeys(isLocked: boolean): void {
  if (isLocked)
    void keyboardOf()
      ?.lock?.()
      .catch(() => undefined);
  else keyboardOf()?.unlock?.();
}
