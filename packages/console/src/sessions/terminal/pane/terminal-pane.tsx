/** The place of one terminal: its screen, and over it whatever has to be said or asked. */
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { useShownTheme } from '@gatehouse/design/theme';
import Server from 'lucide-react/icons/server';
import X from 'lucide-react/icons/x';
import { Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import type { TerminalSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import { isOwnSession, type LiveTerminal } from '../session/live-terminal.ts';
import { type Pane, paneName } from '../workspace/tabs.ts';
import { FindBar } from './find-bar.tsx';
import { FrozenPanel } from './frozen-panel.tsx';
import styles from './pane.module.css';
import { PaneMessages } from './pane-messages.tsx';
import { PasteDialog } from './paste-dialog.tsx';
import { PeopleBar } from './people-bar.tsx';

interface TerminalPaneProps {
  pane: Pane;
  live: LiveTerminal;
  isCurrent: boolean;
  isAlone: boolean;
  /** Its place among the panes of its tab. */
  number: number;
  /** Of the room of its tab. */
  share: number;
  theme: TerminalSettings['theme'];
  onFocus: () => void;
  onAgain: () => void;
  onClose: () => void;
}

export function TerminalPane(props: TerminalPaneProps) {
  const { pane, live, isCurrent, isAlone, number, share, theme, onFocus, onAgain, onClose } = props;
  const t = useTranslate();
  const place = useRef<HTMLDivElement>(null);
  const view = useStore(live.view);
  const shownTheme = useShownTheme();
  const name = paneName(pane);

  // With the elements, not after them: whoever types while the screen is drawn anew has the terminal again before the next key.
  // biome-ignore lint/correctness/useExhaustiveDependencies: which one is current counts when it is put there; later the focus moves by itself
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    live.show(element, isCurrent);
    const observer = new ResizeObserver(() => live.refit());
    observer.observe(element);
    return () => {
      observer.disconnect();
      live.hide();
    };
  }, [live]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, which has just changed
  useEffect(() => live.screen.recolour(), [live, theme, shownTheme]);
  useEffect(() => {
    if (!isCurrent) return;
    // After the shell, which takes the focus whenever the address changes.
    const frame = requestAnimationFrame(() => !isAnotherField(place.current) && live.screen.focus());
    return () => cancelAnimationFrame(frame);
  }, [live, isCurrent]);

  const isGone = view.line.is === 'ended' || view.line.is === 'refused';
  return (
    <section
      className={classNames(styles.pane, isCurrent && !isAlone && styles.paneCurrent)}
      aria-label={isAlone ? name : t('terminal.pane', { name, number })}
      data-gone={isGone || undefined}
      style={{ flexGrow: share }}
      onFocusCapture={isCurrent ? undefined : onFocus}
    >
      {!isAlone && (
        <header className={styles.paneHead}>
          <Icon of={Server} size={14} />
          <code className={styles.paneName}>{name}</code>
          <code className={styles.paneTitle}>{view.title}</code>
          <IconButton icon={X} size="small" label={t('terminal.close-pane', { name })} onClick={onClose} />
        </header>
      )}
      <PeopleBar name={name} live={live} view={view} />
      {view.isFinding && <FindBar live={live} found={view.found} />}
      <div className={styles.screenPlace}>
        <div ref={place} className={styles.screen} />
        {view.held && view.line.is === 'open' && (
          <FrozenPanel held={view.held} isOwn={isOwnSession(view)} onClose={onClose} />
        )}
        <PaneMessages pane={pane} live={live} view={view} onAgain={onAgain} onClose={onClose} />
      </div>
      {view.paste && <PasteDialog paste={view.paste} onAnswer={live.answerPaste} />}
      {view.challenge && (
        <Suspense>
          <FactorQuestion
            name={name}
            challenge={view.challenge}
            onAnswer={live.answerFactor}
            onClose={() => {
              live.change({ challenge: undefined });
              onClose();
            }}
          />
        </Suspense>
      )}
    </section>
  );
}

/** Somebody is typing into something of ours: the terminal must not take that away. */
function isAnotherField(place: HTMLElement | null): boolean {
  const focused = document.activeElement;
  if (!focused || place?.contains(focused)) return false;
  return focused.matches('input, textarea:not(.xterm-helper-textarea)') || focused.closest('[role=dialog]') !== null;
}
