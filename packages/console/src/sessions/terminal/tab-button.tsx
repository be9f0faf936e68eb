/** One tab: its name, how its terminals are, and what closes it. */
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { StatusDot } from '@gatehouse/design/status-dot';
import Bell from 'lucide-react/icons/bell';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useStore } from '../../platform/browser/store.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { LiveTerminal } from './session/live-terminal.ts';
import { LINE_DOTS, LINE_WORDS } from './status-bar.tsx';
import styles from './tab-strip.module.css';
import type { Tab } from './workspace/tabs.ts';

interface TabButtonProps {
  tab: Tab;
  /** As it is shown among the others. */
  name: string;
  lives: readonly LiveTerminal[];
  isCurrent: boolean;
  /** The one that Tab leads to; arrows lead to the others. */
  isFirstStop: boolean;
  isRenaming: boolean;
  onShow: () => void;
  onClose: () => void;
  onRename: (id: string | undefined) => void;
  onName: (name: string) => void;
  onMove: (step: 1 | -1) => void;
  onDrag: () => void;
  /** Another is dragged over it, so far beyond its middle; less than 0 before that. */
  onDragOver: (beyond: number) => void;
}

export function TabButton(props: TabButtonProps) {
  const { tab, name, lives, isCurrent, isFirstStop, isRenaming, onShow, onClose, onRename, onName, onMove } = props;
  const t = useTranslate();
  const item = useRef<HTMLLIElement>(null);
  // Once more when the name comes, which makes it wider: on a phone there is room for one tab and a bit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name is what it is as wide as
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent, name]);
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0 && event.ctrlKey) onMove(step as 1 | -1);
    else if (step !== 0) {
      const beside = step === 1 ? item.current?.nextElementSibling : item.current?.previousElementSibling;
      beside?.querySelector('button')?.focus();
    } else if (event.key === 'F2') onRename(tab.id);
    else if (event.key === 'Delete') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <li
      ref={item}
      className={classNames(styles.tab, isCurrent && styles.current)}
      draggable={!isRenaming}
      onDragStart={props.onDrag}
      onDragOver={(event) => {
        event.preventDefault();
        const { left, width } = event.currentTarget.getBoundingClientRect();
        props.onDragOver(event.clientX - left - width / 2);
      }}
      onAuxClick={(event) => event.button === 1 && onClose()}
    >
      {isRenaming ? (
        <input
          // biome-ignore lint/a11y/noAutofocus: somebody has just asked to type here
          autoFocus
          className={styles.rename}
          aria-label={t('terminal.rename-label')}
          defaultValue={name}
          maxLength={60}
          onFocus={({ target }) => target.select()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onName(event.currentTarget.value);
            if (event.key === 'Enter' || event.key === 'Escape') onRename(undefined);
          }}
          onBlur={({ target }) => {
            onName(target.value);
            onRename(undefined);
          }}
        />
      ) : (
        <button
          type="button"
          className={styles.tabName}
          aria-current={isCurrent}
          tabIndex={isFirstStop ? 0 : -1}
          title={t('terminal.tab-hint', { name })}
          onClick={onShow}
          onDoubleClick={() => onRename(tab.id)}
          onKeyDown={onKeyDown}
        >
          {lives[0] && <TabState live={lives[0]} />}
          <code className={styles.tabWord}>{name}</code>
          {tab.panes.length > 1 && <code className={styles.count}>{tab.panes.length}</code>}
        </button>
      )}
      <IconButton
        icon={X}
        tipSide="bottom"
        size="small"
        className={styles.tabClose}
        label={t('terminal.tab-close', { name })}
        tabIndex={isFirstStop ? 0 : -1}
        onClick={onClose}
      />
    </li>
  );
}

function TabState({ live }: { live: LiveTerminal }) {
  const t = useTranslate();
  const { line, rang } = useStore(live.view);
  if (rang) return <Bell size={12} className={styles.bell} role="img" aria-label={t('terminal.tab-rang')} />;
  return (
    <StatusDot state={LINE_DOTS[line.is]} wordHidden>
      {t(LINE_WORDS[line.is])}
    </StatusDot>
  );
}
