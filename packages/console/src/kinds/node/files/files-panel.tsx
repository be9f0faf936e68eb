/** The files of a login on a server: looked through, uploaded, downloaded, renamed, edited and deleted. */

import type { FileEntry } from '@gatehouse/contract/kinds/node/files/files';
import { joinPath, resolvePath, shownName, whyNotName } from '@gatehouse/contract/kinds/node/files/paths';
import { useToast } from '@gatehouse/design/toast';
import { copyText } from '@gatehouse/design/use-copy';
import {
  type KeyboardEvent,
  Suspense,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { useStore } from '../../../platform/browser/store.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import { startDownload } from '../../../shared/files/start-download.ts';
import { useDrop } from '../../../shared/files/use-drop.ts';
import { type Chosen, sortChosen } from './chosen-files.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import type { FilesAt } from './file-calls.ts';
import type { FileActions } from './file-columns.tsx';
import styles from './files.module.css';
import { FilesList } from './files-list.tsx';
import { filesLocationOf, isFolder } from './files-location.ts';
import { FilesToolbar } from './files-toolbar.tsx';
import { NameDialog } from './name-dialog.tsx';
import { UploadList } from './upload-list.tsx';

interface FilesPanelProps {
  at: FilesAt;
  /** Beside a terminal there is room for little. */
  isNarrow?: boolean;
  /** The folder the address names. */
  path?: string | undefined;
  onPath?: (path: string) => void;
  /** Where the shell beside it is, if it says so. */
  shellFolder?: string | undefined;
}

type Asking = { what: 'folder' | 'go' } | { what: 'delete'; names: string[] } | { what: 'edit'; entry: FileEntry };

export function FilesPanel(props: FilesPanelProps) {
  const { at, isNarrow: isBeside = false, path: wanted, onPath, shellFolder } = props;
  const t = useTranslate();
  const browser = useBrowser();
  const { clusterId, server, login } = at;
  const place = useMemo(
    () => filesLocationOf(browser, { clusterId, server, login }),
    [browser, clusterId, server, login],
  );
  const view = useStore(place.view);
  const toast = useToast();
  const [hiddenFiles, setHidden] = usePreference('hiddenFiles');
  const [asking, setAsking] = useState<Asking>();
  const [renaming, setRenaming] = useState<string>();
  // On a phone rows are cards, which have room for everything.
  const isNarrow = isBeside && !window.matchMedia('(max-width: 720px)').matches;
  const { path = '/', opened, selected } = view;
  const serverName = opened?.server.name ?? server;
  const { calls } = place;

  // Where it is when one looks at its files; it may go on while one does.
  const follow = useEffectEvent(() => void (isBeside && place.follow(shellFolder)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew for other files
  useEffect(() => follow(), [place]);
  useEffect(() => {
    if (isBeside) return;
    const { path: shown, isLoading } = place.view.get();
    if (!isLoading && (shown === undefined || (wanted !== undefined && wanted !== shown))) void place.go(wanted);
  }, [place, wanted, isBeside]);
  const shownPath = view.path;
  const address = useRef({ wanted, onPath });
  useLayoutEffect(() => {
    address.current = { wanted, onPath };
  });
  // Only when another folder is shown: when the address goes back, the folder is about to follow it.
  useEffect(() => {
    const { wanted: written, onPath: write } = address.current;
    if (shownPath !== undefined && shownPath !== written) write?.(shownPath);
  }, [shownPath]);

  const tell = useCallback((error: unknown) => toast.show({ tone: 'bad', title: failureWords(t, error) }), [toast, t]);
  const go = useCallback(
    (folder: string) => {
      setRenaming(undefined);
      void place.go(folder);
    },
    [place],
  );
  const download = useCallback(
    async (entries: readonly Pick<FileEntry, 'name' | 'type' | 'target'>[]) => {
      const archive = entries.length > 1 || entries.some(isFolder);
      const here = place.view.get().path ?? '/';
      const paths = entries.map(({ name }) => joinPath(here, name));
      await calls.ticket(paths, archive).then(startDownload, tell);
    },
    [place, calls, tell],
  );
  const take = useCallback(
    ({ files, refused }: Chosen) => {
      if (files.length > 0) place.uploads.add(place.view.get().path ?? '/', files);
      if (refused.length === 0) return;
      const names = refused.slice(0, 3).map(shownName).join(', ');
      toast.show({ tone: 'bad', title: t('files.refused-names', { count: refused.length, names }) });
    },
    [place, toast, t],
  );
  const drop = useDrop((chosen) => take(sortChosen(chosen)));

  const actions = useMemo<FileActions>(
    () => ({
      onDownload: (entry) => void download([entry]),
      onRename: ({ name }) => setRenaming(name),
      onRenamed: (entry, name) => {
        setRenaming(undefined);
        if (name === undefined || name === entry.name) return;
        const from = joinPath(place.view.get().path ?? '/', entry.name);
        void calls.rename(from, name).catch(tell).then(place.refresh);
      },
      onDelete: ({ name }) => setAsking({ what: 'delete', names: [name] }),
      onEdit: (entry) => setAsking({ what: 'edit', entry }),
      onCopyPath: ({ name }) => {
        const copied = joinPath(place.view.get().path ?? '/', name);
        void copyText(copied).then((done) =>
          toast.show(
            done
              ? { tone: 'ok', title: t('files.path-copied', { path: shownName(copied) }) }
              : { tone: 'bad', title: t('files.path-not-copied') },
          ),
        );
      },
      onSelect: ({ name }, isSelected) => {
        const next = new Set(place.view.get().selected);
        if (isSelected) next.add(name);
        else next.delete(name);
        place.select(next);
      },
    }),
    [place, calls, download, tell, toast, t],
  );
  const openEntry = (entry: FileEntry) => {
    if (isFolder(entry)) go(joinPath(path, entry.name));
    else setAsking({ what: 'edit', entry });
  };
  const press = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target instanceof HTMLInputElement) return;
    const name = target.closest('tr')?.querySelector<HTMLElement>('[data-file]')?.dataset.file;
    if (name === undefined) return;
    if (event.key === 'F2') setRenaming(name);
    if (event.key === 'Delete') setAsking({ what: 'delete', names: selected.size > 0 ? [...selected] : [name] });
  };
  const chosen = () => (view.listing?.entries ?? []).filter(({ name }) => selected.has(name));

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and drops are for what is inside
    <div className={styles.panel} data-narrow={isNarrow || undefined} {...drop.handlers} onKeyDown={press}>
      {opened && (
        <FilesToolbar
          path={path}
          home={opened.home}
          isLoading={view.isLoading}
          hidden={hiddenFiles === 'shown'}
          selected={selected.size}
          onGo={go}
          onRefresh={() => void place.refresh()}
          onGoTo={() => setAsking({ what: 'go' })}
          onShell={
            shellFolder === undefined
              ? undefined
              : () => void place.go(resolvePath(shellFolder, { folder: opened.home, home: opened.home }))
          }
          onHidden={(hidden) => setHidden(hidden ? 'shown' : undefined)}
          onChosen={take}
          onNewFolder={() => setAsking({ what: 'folder' })}
          onDownload={() => void download(chosen())}
          onDelete={() => setAsking({ what: 'delete', names: [...selected] })}
          onClear={() => place.select(new Set())}
        />
      )}
      <FilesList
        view={view}
        hidden={hiddenFiles === 'shown'}
        isNarrow={isNarrow}
        renaming={renaming}
        actions={actions}
        onOpen={openEntry}
        onSelectAll={(names) => place.select(names)}
        onAgain={() => void (view.path === undefined ? place.go(wanted) : place.refresh())}
        onHome={() => void place.go()}
        onShowHidden={() => setHidden('shown')}
      />
      <UploadList uploads={place.uploads} />
      {drop.isOver && <div className={styles.drop}>{t('files.drop', { folder: shownName(path) })}</div>}
      {asking?.what === 'folder' && (
        <NameDialog
          title={t('files.new-folder')}
          label={t('files.new-folder-label')}
          confirmWord={t('files.make')}
          check={whyNotName}
          onConfirm={async (name) => {
            await calls.makeFolder(joinPath(path, name));
            await place.refresh();
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking?.what === 'go' && (
        <NameDialog
          title={t('files.go-to')}
          label={t('files.go-to-label')}
          text={t('files.go-to-text')}
          initial={path}
          confirmWord={t('files.go')}
          onConfirm={async (typed) => go(resolvePath(typed, { folder: path, home: opened?.home ?? '/' }))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking?.what === 'delete' && (
        <DeleteDialog
          names={asking.names}
          server={serverName}
          onDelete={() => calls.remove(asking.names.map((name) => joinPath(path, name))).finally(place.refresh)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking?.what === 'edit' && (
        <Suspense>
          <TextEditor
            path={joinPath(path, asking.entry.name)}
            name={asking.entry.name}
            calls={calls}
            onDownload={() => void download([asking.entry])}
            onClose={(saved) => {
              setAsking(undefined);
              if (saved) void place.refresh();
            }}
          />
        </Suspense>
      )}
      {view.challenge && (
        <Suspense>
          <FactorQuestion
            name={`${login}@${serverName}`}
            challenge={view.challenge}
            onAnswer={place.answerFactor}
            onClose={() => place.answerFactor(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

const TextEditor = lazyPart(() => import('./text-editor.tsx').then((file) => file.TextEditor));
