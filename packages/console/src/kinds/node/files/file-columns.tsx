/** The columns of a folder: what each file is called, how large and how old it is, and what can be done with it. */

import type { FileEntry } from '@gatehouse/contract/kinds/node/files/files';
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import type { Column } from '@gatehouse/design/table-head';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Copy from 'lucide-react/icons/copy';
import Download from 'lucide-react/icons/download';
import Ellipsis from 'lucide-react/icons/ellipsis';
import FileIcon from 'lucide-react/icons/file';
import FileSymlink from 'lucide-react/icons/file-symlink';
import Folder from 'lucide-react/icons/folder';
import Pencil from 'lucide-react/icons/pencil';
import SquarePen from 'lucide-react/icons/square-pen';
import Trash2 from 'lucide-react/icons/trash-2';
import { useMemo } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatBytes, formatDay } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './files.module.css';
import { isFolder, modeText } from './files-location.ts';
import { RenameField } from './rename-field.tsx';
import { mayBeText } from './text-files.ts';

export interface FileActions {
  onDownload: (entry: FileEntry) => void;
  onRename: (entry: FileEntry) => void;
  onRenamed: (entry: FileEntry, name: string | undefined) => void;
  onDelete: (entry: FileEntry) => void;
  onEdit: (entry: FileEntry) => void;
  onCopyPath: (entry: FileEntry) => void;
  onSelect: (entry: FileEntry, selected: boolean) => void;
}

interface ColumnOptions {
  /** The same object as long as nothing about it changes, or every row is drawn again. */
  actions: FileActions;
  /** Beside a terminal there is room for little. */
  isNarrow: boolean;
  selected: ReadonlySet<string>;
  renaming: string | undefined;
}

export function useFileColumns(options: ColumnOptions): readonly Column<FileEntry>[] {
  const t = useTranslate();
  const { now } = useBrowser();
  const { actions, isNarrow, selected, renaming } = options;
  return useMemo(() => {
    const columns: (Column<FileEntry> & { wideOnly?: boolean })[] = [
      {
        id: 'open',
        title: t('files.column-open'),
        titleHidden: true,
        width: '52px',
        overflow: 'visible',
        card: 'none',
        cell: (entry) => (
          <span data-row-action="" className={styles.kind} data-folder={isFolder(entry) || undefined}>
            <Icon of={iconOf(entry)} size={16} />
            <VisuallyHidden>
              {t(isFolder(entry) ? 'files.open-folder' : 'files.open-file', { name: shownName(entry.name) })}
            </VisuallyHidden>
          </span>
        ),
      },
      {
        id: 'name',
        title: t('files.column-name'),
        sortKey: 'name',
        card: 'title',
        cell: (entry) =>
          renaming === entry.name ? (
            <RenameField name={entry.name} onDone={(name) => actions.onRenamed(entry, name)} />
          ) : (
            <span className={styles.name} data-file={entry.name} title={shownName(entry.name)}>
              <span className={styles.cardKind} data-folder={isFolder(entry) || undefined}>
                <Icon of={iconOf(entry)} size={16} />
              </span>
              <bdi>{shownName(entry.name)}</bdi>
              {entry.type === 'link' && (
                <span className={styles.aside}>
                  {t(entry.target === undefined ? 'files.link-broken' : 'files.link')}
                </span>
              )}
            </span>
          ),
      },
      {
        id: 'size',
        title: t('files.column-size'),
        sortKey: 'size',
        width: isNarrow ? '92px' : '96px',
        align: 'end',
        card: 'none',
        cell: (entry) => (isFolder(entry) ? '' : formatBytes(entry.size)),
      },
      {
        id: 'modified',
        title: t('files.column-modified'),
        sortKey: 'modified',
        width: isNarrow ? '112px' : '180px',
        card: 'subtitle',
        cell: (entry) => (
          <>
            <span title={formatDateTime(entry.modified)}>
              {isNarrow ? formatDay(entry.modified, now()) : formatDateTime(entry.modified)}
            </span>
            {!isFolder(entry) && <span className={styles.cardSize}>{formatBytes(entry.size)}</span>}
          </>
        ),
      },
      {
        id: 'mode',
        title: t('files.column-mode'),
        sortKey: 'mode',
        width: '200px',
        mono: true,
        card: 'none',
        wideOnly: true,
        cell: ({ mode, owner, group }) => `${modeText(mode)} ${owner === group ? owner : `${owner}:${group}`}`,
      },
      {
        id: 'select',
        title: t('files.column-select'),
        titleHidden: true,
        width: '44px',
        card: 'end',
        overflow: 'visible',
        cell: (entry) => (
          <Checkbox
            checked={selected.has(entry.name)}
            onCheckedChange={(checked) => actions.onSelect(entry, checked)}
            label={<VisuallyHidden>{t('files.select-one', { name: shownName(entry.name) })}</VisuallyHidden>}
          />
        ),
      },
      {
        id: 'actions',
        title: t('files.column-actions'),
        titleHidden: true,
        width: '52px',
        align: 'end',
        card: 'action',
        overflow: 'visible',
        cell: (entry) => <RowMenu entry={entry} actions={actions} />,
      },
    ];
    return columns.filter(({ wideOnly }) => !isNarrow || !wideOnly);
  }, [t, now, actions, isNarrow, selected, renaming]);
}

function RowMenu({ entry, actions }: { entry: FileEntry; actions: FileActions }) {
  const t = useTranslate();
  const folder = isFolder(entry);
  const isFile = entry.type === 'file' || entry.target === 'file';
  return (
    <Menu
      trigger={
        <IconButton icon={Ellipsis} size="small" label={t('files.actions-of', { name: shownName(entry.name) })} />
      }
    >
      {(folder || isFile) && (
        <MenuItem icon={Download} onSelect={() => actions.onDownload(entry)}>
          {t(folder ? 'files.download-archive' : 'files.download')}
        </MenuItem>
      )}
      {mayBeText(entry) && (
        <MenuItem icon={SquarePen} onSelect={() => actions.onEdit(entry)}>
          {t('files.edit')}
        </MenuItem>
      )}
      <MenuItem icon={Copy} onSelect={() => actions.onCopyPath(entry)}>
        {t('files.copy-path')}
      </MenuItem>
      <MenuItem icon={Pencil} keys={['F2']} onSelect={() => actions.onRename(entry)}>
        {t('files.rename')}
      </MenuItem>
      <MenuItem icon={Trash2} tone="danger" keys={['Del']} onSelect={() => actions.onDelete(entry)}>
        {t('files.delete')}
      </MenuItem>
    </Menu>
  );
}

function iconOf(entry: FileEntry): IconComponent {
  if (isFolder(entry)) return Folder;
  return entry.type === 'link' ? FileSymlink : FileIcon;
}
