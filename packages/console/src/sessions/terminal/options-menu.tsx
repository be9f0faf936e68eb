/** Everything one can do with the terminal in front, and how terminals look. */
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import AArrowDown from 'lucide-react/icons/a-arrow-down';
import AArrowUp from 'lucide-react/icons/a-arrow-up';
import Columns2 from 'lucide-react/icons/columns-2';
import Copy from 'lucide-react/icons/copy';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Eraser from 'lucide-react/icons/eraser';
import FolderOpen from 'lucide-react/icons/folder-open';
import Link from 'lucide-react/icons/link';
import Maximize from 'lucide-react/icons/maximize';
import Pencil from 'lucide-react/icons/pencil';
import Rows2 from 'lucide-react/icons/rows-2';
import X from 'lucide-react/icons/x';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import {
  scrollbackChoices,
  TERMINAL_FONTS,
  type TerminalSettings,
} from '../../shared/terminal-theme/terminal-settings.ts';
import { type Command, KEY_HINTS } from './terminal-keys.ts';
import { MAX_PANES, type Tab } from './workspace/tabs.ts';
import type { Workspace } from './workspace/workspace.ts';

interface OptionsMenuProps {
  workspace: Workspace;
  tab: Tab | undefined;
  settings: TerminalSettings;
  onRename: () => void;
  onClose: () => void;
  onCommand: (command: Command) => void;
  onChange: (part: Partial<TerminalSettings>) => void;
}

export function OptionsMenu(props: OptionsMenuProps) {
  const { scrollbackLines } = usePageConfig().ui;
  const { workspace, tab, settings, onRename, onClose, onCommand, onChange } = props;
  const t = useTranslate();
  const pane = tab?.panes.find(({ id }) => id === tab.current);
  const isFull = (tab?.panes.length ?? 0) >= MAX_PANES;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} tipSide="bottom" label={t('terminal.options')} />}>
      {pane && (
        <>
          <MenuItem icon={Pencil} keys={['F2']} onSelect={onRename}>
            {t('terminal.rename')}
          </MenuItem>
          <MenuItem icon={Copy} onSelect={() => workspace.duplicate(pane)}>
            {t('terminal.duplicate')}
          </MenuItem>
          <MenuItem
            icon={Columns2}
            keys={KEY_HINTS['split-right']}
            disabled={isFull}
            onSelect={() => onCommand('split-right')}
          >
            {t('terminal.split-right')}
          </MenuItem>
          <MenuItem
            icon={Rows2}
            keys={KEY_HINTS['split-down']}
            disabled={isFull}
            onSelect={() => onCommand('split-down')}
          >
            {t('terminal.split-down')}
          </MenuItem>
          {!pane.exec && (
            <MenuItem icon={FolderOpen} keys={KEY_HINTS.files} onSelect={() => onCommand('files')}>
              {t('terminal.files')}
            </MenuItem>
          )}
          {pane.sid !== undefined && (
            <MenuItem icon={Link} onSelect={() => onCommand('share')}>
              {t('terminal.share')}
            </MenuItem>
          )}
          <MenuItem icon={Maximize} keys={KEY_HINTS['full-screen']} onSelect={() => onCommand('full-screen')}>
            {t('terminal.full-screen')}
          </MenuItem>
          <MenuItem icon={Eraser} onSelect={() => workspace.live(pane).screen.clear()}>
            {t('terminal.clear')}
          </MenuItem>
          <MenuItem icon={X} keys={KEY_HINTS.close} onSelect={onClose}>
            {t('terminal.close-tab')}
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={AArrowUp} keys={KEY_HINTS.larger} onSelect={(event) => step(event, 'larger')}>
        {t('terminal.larger')}
      </MenuItem>
      <MenuItem icon={AArrowDown} keys={KEY_HINTS.smaller} onSelect={(event) => step(event, 'smaller')}>
        {t('terminal.smaller')}
      </MenuItem>
      <MenuSeparator />
      <MenuChoice
        label={t('terminal.font')}
        value={settings.font}
        onValueChange={(font) => onChange({ font })}
        options={TERMINAL_FONTS.map((value) => ({ value, label: t(FONT_WORDS[value]) }))}
      />
      <MenuSeparator />
      <MenuChoice
        label={t('terminal.theme')}
        value={settings.theme}
        onValueChange={(theme) => onChange({ theme })}
        options={(['console', 'dark', 'light'] as const).map((value) => ({ value, label: t(THEME_WORDS[value]) }))}
      />
      <MenuSeparator />
      <MenuChoice
        label={t('terminal.scrollback')}
        value={String(settings.scrollback)}
        onValueChange={(lines) => onChange({ scrollback: Number(lines) })}
        options={scrollbackChoices(settings.scrollback, scrollbackLines).map((lines) => ({
          value: String(lines),
          label: t('terminal.scrollback-lines', { lines }),
        }))}
      />
      <MenuSeparator />
      <Switched
        label={t('terminal.screen-reader')}
        is={settings.screenReader}
        set={(screenReader) => onChange({ screenReader })}
      />
      <Switched
        label={t('terminal.clipboard-setting')}
        is={settings.clipboard}
        set={(clipboard) => onChange({ clipboard })}
      />
      <Switched
        label={t('terminal.paste-setting')}
        is={settings.pasteWarning}
        set={(pasteWarning) => onChange({ pasteWarning })}
      />
    </Menu>
  );

  /** The menu stays: hardly anybody wants one step only. */
  function step(event: Event, command: Command): void {
    event.preventDefault();
    onCommand(command);
  }
}

const FONT_WORDS = {
  ubuntu: 'terminal.font-ubuntu',
  system: 'terminal.font-system',
} as const satisfies Record<TerminalSettings['font'], WordId>;

const THEME_WORDS = {
  console: 'terminal.theme-console',
  dark: 'terminal.theme-dark',
  light: 'terminal.theme-light',
} as const satisfies Record<TerminalSettings['theme'], WordId>;

function Switched({ label, is, set }: { label: string; is: boolean; set: (is: boolean) => void }) {
  const t = useTranslate();
  return (
    <MenuItem
      hint={t(is ? 'terminal.on' : 'terminal.off')}
      onSelect={(event) => {
        event.preventDefault();
        set(!is);
      }}
    >
      {label}
    </MenuItem>
  );
}
