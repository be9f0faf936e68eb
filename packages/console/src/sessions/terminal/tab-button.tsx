/** One tab: its name, how its terminals are, and what closes it. */
import { StatusDot } from '@gatehouse/design/status-dot';
import Bell from 'lucide-react/icons/bell';
import { useStore } from '../../platform/browser/store.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { StripTab } from '../../shared/tab-strip/strip-tab.tsx';
import strip from '../../shared/tab-strip/tab-strip.module.css';
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
  return (
    <StripTab
      {...{ name, isCurrent, isRenaming, onShow, onClose, onName, onMove }}
      isStop={isFirstStop}
      words={{
        hint: t('terminal.tab-hint', { name }),
        rename: t('terminal.rename-label'),
        close: t('terminal.tab-close', { name }),
      }}
      onRenaming={(is) => onRename(is ? tab.id : undefined)}
      draggable={!isRenaming}
      onDragStart={props.onDrag}
      onDragOver={(event) => {
        event.preventDefault();
        const { left, width } = event.currentTarget.getBoundingClientRect();
        props.onDragOver(event.clientX - left - width / 2);
      }}
      onAuxClick={(event) => event.button === 1 && onClose()}
    >
      {lives[0] && <TabState live={lives[0]} />}
      <code className={strip.tabWord}>{name}</code>
      {tab.panes.length > 1 && <code className={styles.count}>{tab.panes.length}</code>}
    </StripTab>
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
