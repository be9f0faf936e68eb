/** Finds words in what a terminal has printed. */
import { IconButton } from '@gatehouse/design/icon-button';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import CaseSensitive from 'lucide-react/icons/case-sensitive';
import Regex from 'lucide-react/icons/regex';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { LiveTerminal, TerminalView } from '../session/live-terminal.ts';
import styles from './pane.module.css';

interface FindBarProps {
  live: LiveTerminal;
  found: TerminalView['found'];
}

export function FindBar({ live, found }: FindBarProps) {
  const t = useTranslate();
  const [finding, setFinding] = useState({ words: '', caseSensitive: false, regex: false });
  const look = (next: typeof finding) => {
    setFinding(next);
    if (next.words === '') {
      live.screen.endFinding();
      live.change({ found: undefined });
    } else live.screen.find(next, 'previous');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') live.find(false);
    else if (event.key === 'Enter') live.screen.find(finding, event.shiftKey ? 'next' : 'previous');
    else return;
    event.preventDefault();
  };
  return (
    <search className={styles.find}>
      <span className={styles.findField}>
        <input
          // biome-ignore lint/a11y/noAutofocus: somebody has just asked to type here
          autoFocus
          aria-label={t('terminal.find-label')}
          placeholder={t('terminal.find')}
          autoComplete="off"
          spellCheck={false}
          value={finding.words}
          onChange={({ target }) => look({ ...finding, words: target.value })}
          onKeyDown={onKeyDown}
        />
        <span role="status" className={styles.findCount}>
          {finding.words !== '' && found && foundWords(t, found)}
        </span>
      </span>
      <IconButton
        icon={CaseSensitive}
        size="small"
        className={styles.wideOnly}
        label={t('terminal.find-case')}
        pressed={finding.caseSensitive}
        onClick={() => look({ ...finding, caseSensitive: !finding.caseSensitive })}
      />
      <IconButton
        icon={Regex}
        size="small"
        className={styles.wideOnly}
        label={t('terminal.find-regex')}
        pressed={finding.regex}
        onClick={() => look({ ...finding, regex: !finding.regex })}
      />
      <IconButton
        icon={ArrowUp}
        size="small"
        label={t('terminal.find-previous')}
        onClick={() => live.screen.find(finding, 'previous')}
      />
      <IconButton
        icon={ArrowDown}
        size="small"
        label={t('terminal.find-next')}
        onClick={() => live.screen.find(finding, 'next')}
      />
      <IconButton icon={X} size="small" label={t('terminal.find-close')} onClick={() => live.find(false)} />
    </search>
  );
}

/** Beyond a thousand matches nobody counts which one is shown. */
function foundWords(t: ReturnType<typeof useTranslate>, { at, count }: { at: number; count: number }): string {
  if (at < 0 && count > 0) return t('terminal.found-many', { count });
  return t('terminal.found', { at: at + 1, count });
}
