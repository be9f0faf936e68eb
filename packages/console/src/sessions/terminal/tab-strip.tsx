/** The tabs over the terminals: shown, moved, renamed and closed by pointer or keyboard. */
import { IconButton } from '@gatehouse/design/icon-button';
import Columns2 from 'lucide-react/icons/columns-2';
import FolderOpen from 'lucide-react/icons/folder-open';
import Plus from 'lucide-react/icons/plus';
import Search from 'lucide-react/icons/search';
import { useRef } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { TabList } from '../../shared/tab-strip/strip-tab.tsx';
import strip from '../../shared/tab-strip/tab-strip.module.css';
import type { TerminalSettings } from '../../shared/terminal-theme/terminal-settings.ts';
import { OptionsMenu } from './options-menu.tsx';
import { TabButton } from './tab-button.tsx';
import styles from './tab-strip.module.css';
import type { Command } from './terminal-keys.ts';
import {
  currentPane,
  currentTab,
  MAX_PANES,
  moveTab,
  type Pane,
  renameTab,
  shownNames,
  showTab,
  type Tabs,
} from './workspace/tabs.ts';
import type { Workspace } from './workspace/workspace.ts';

interface TabStripProps {
  workspace: Workspace;
  tabs: Tabs;
  settings: TerminalSettings;
  /** The tab whose name is being changed. */
  renaming: string | undefined;
  showsFiles: boolean;
  onRename: (id: string | undefined) => void;
  onClose: (panes: readonly Pane[]) => void;
  onCommand: (command: Command) => void;
  onChange: (part: Partial<TerminalSettings>) => void;
}

export function TabStrip(props: TabStripProps) {
  const { workspace, tabs, settings, renaming, showsFiles, onRename, onClose, onCommand, onChange } = props;
  const t = useTranslate();
  const dragged = useRef<string>(undefined);
  const shown = currentTab(tabs);
  const front = currentPane(tabs);
  const names = shownNames(tabs);
  const set = workspace.tabs.set;
  return (
    <div className={strip.strip}>
      <TabList label={t('terminal.terminals')}>
        {tabs.tabs.map((tab, index) => (
          <TabButton
            key={tab.id}
            tab={tab}
            name={names.get(tab.id) ?? ''}
            lives={tab.panes.map((pane) => workspace.live(pane))}
            isCurrent={tab.id === shown?.id}
            isFirstStop={tab.id === (shown?.id ?? tabs.tabs[0]?.id)}
            isRenaming={renaming === tab.id}
            onShow={() => set((before) => showTab(before, tab.id))}
            onClose={() => onClose(tab.panes)}
            onRename={onRename}
            onName={(name) => set((before) => renameTab(before, tab.id, name))}
            onMove={(step) => set((before) => moveTab(before, tab.id, index + step))}
            onDrag={() => {
              dragged.current = tab.id;
            }}
            onDragOver={(beyond) => {
              const from = tabs.tabs.findIndex(({ id }) => id === dragged.current);
              const { current } = dragged;
              if (!current || from < 0 || from === index) return;
              // Over its middle only: else tabs of different widths would change places back and forth.
              const isOver = from > index ? beyond <= 1 : beyond >= -1;
              if (isOver) set((before) => moveTab(before, current, index));
            }}
          />
        ))}
      </TabList>
      <IconButton
        icon={Plus}
        tipSide="bottom"
        label={t('terminal.new-tab')}
        pressed={shown === undefined}
        onClick={() => onCommand('new-tab')}
      />
      <span className={strip.grow} />
      {shown && (
        <>
          <IconButton
            className={styles.wideOnly}
            icon={Columns2}
            tipSide="bottom"
            label={t('terminal.split-right')}
            disabled={shown.panes.length >= MAX_PANES}
            onClick={() => onCommand('split-right')}
          />
          {!front?.exec && (
            <IconButton
              icon={FolderOpen}
              tipSide="bottom"
              label={t('terminal.files')}
              pressed={showsFiles}
              onClick={() => onCommand('files')}
            />
          )}
          <IconButton icon={Search} tipSide="bottom" label={t('terminal.find')} onClick={() => onCommand('find')} />
        </>
      )}
      <OptionsMenu
        workspace={workspace}
        tab={shown}
        settings={settings}
        onRename={() => onRename(shown?.id)}
        onClose={() => shown && onClose(shown.panes)}
        onCommand={onCommand}
        onChange={onChange}
      />
    </div>
  );
}
