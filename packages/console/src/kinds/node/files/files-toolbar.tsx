/** What can be done with the folder one is in, and with what is selected in it. */
import { folderOf } from '@gatehouse/contract/kinds/node/files/paths';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import CornerLeftUp from 'lucide-react/icons/corner-left-up';
import Download from 'lucide-react/icons/download';
import Ellipsis from 'lucide-react/icons/ellipsis';
import FolderPlus from 'lucide-react/icons/folder-plus';
import FolderUp from 'lucide-react/icons/folder-up';
import House from 'lucide-react/icons/house';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Trash2 from 'lucide-react/icons/trash-2';
import UploadIcon from 'lucide-react/icons/upload';
import X from 'lucide-react/icons/x';
import { useRef } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { filesOf } from '../../../shared/files/dropped-files.ts';
import { type Chosen, sortChosen } from './chosen-files.ts';
import styles from './files.module.css';
import { FolderCrumbs } from './folder-crumbs.tsx';

export interface ToolbarProps {
  path: string;
  home: string;
  isLoading: boolean;
  hidden: boolean;
  selected: number;
  onGo: (path: string) => void;
  onRefresh: () => void;
  onGoTo: () => void;
  /** Goes where the shell is; absent where nobody knows. */
  onShell: (() => void) | undefined;
  onHidden: (hidden: boolean) => void;
  onChosen: (chosen: Chosen) => void;
  onNewFolder: () => void;
  onDownload: () => void;
  onDelete: () => void;
  onClear: () => void;
}

export function FilesToolbar(props: ToolbarProps) {
  const { path, home, isLoading, hidden, selected, onGo } = props;
  const t = useTranslate();
  const fileChooser = useRef<HTMLInputElement>(null);
  const folderChooser = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.toolbar}>
      <div className={styles.where}>
        <IconButton
          icon={CornerLeftUp}
          label={t('files.up')}
          disabled={path === '/'}
          onClick={() => onGo(folderOf(path))}
        />
        <FolderCrumbs path={path} onGo={onGo} />
        <IconButton
          icon={RefreshCw}
          label={t('files.refresh')}
          className={isLoading ? styles.turning : undefined}
          onClick={props.onRefresh}
        />
      </div>
      {selected > 0 ? (
        <div className={styles.actions}>
          <span className={styles.muted} role="status">
            {t('files.selected', { count: selected })}
          </span>
          <Button size="small" icon={Download} onClick={props.onDownload}>
            {t('files.download')}
          </Button>
          <Button size="small" icon={Trash2} tone="danger" onClick={props.onDelete}>
            {t('files.delete')}
          </Button>
          <IconButton icon={X} size="small" label={t('files.clear-selection')} onClick={props.onClear} />
        </div>
      ) : (
        <div className={styles.actions}>
          <Menu
            align="start"
            trigger={
              <Button size="small" icon={UploadIcon} tone="primary">
                {t('files.upload')}
              </Button>
            }
          >
            <MenuItem icon={UploadIcon} onSelect={() => fileChooser.current?.click()}>
              {t('files.upload-files')}
            </MenuItem>
            <MenuItem icon={FolderUp} onSelect={() => folderChooser.current?.click()}>
              {t('files.upload-folder')}
            </MenuItem>
          </Menu>
          <Button size="small" icon={FolderPlus} onClick={props.onNewFolder}>
            {t('files.new-folder')}
          </Button>
          <Menu trigger={<IconButton icon={Ellipsis} size="small" label={t('files.more')} />}>
            <MenuItem icon={House} onSelect={() => onGo(home)}>
              {t('files.home')}
            </MenuItem>
            {props.onShell && (
              <MenuItem icon={SquareTerminal} onSelect={props.onShell}>
                {t('files.shell-folder')}
              </MenuItem>
            )}
            <MenuItem onSelect={props.onGoTo}>{t('files.go-to')}</MenuItem>
            <MenuSeparator />
            <MenuItem hint={hidden ? '✓' : ''} onSelect={() => props.onHidden(!hidden)}>
              {t('files.hidden')}
            </MenuItem>
          </Menu>
        </div>
      )}
      <input
        ref={fileChooser}
        type="file"
        multiple
        hidden
        data-choose="files"
        onChange={({ target }) => take(target, props.onChosen)}
      />
      <input
        ref={folderChooser}
        type="file"
        multiple
        hidden
        data-choose="folder"
        // @ts-expect-error no standard has it, and every browser
        webkitdirectory=""
        onChange={({ target }) => take(target, props.onChosen)}
      />
    </div>
  );
}

/** Emptied, so that the same file can be chosen again. */
function take(input: HTMLInputElement, onChosen: (chosen: Chosen) => void): void {
  if (input.files) onChosen(sortChosen(filesOf(input.files)));
  input.value = '';
}
