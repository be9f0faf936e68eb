/** The files of one login on one server as they are shown: where one is, what is there, what is under way. Outlives its panel. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { FileEntry } from '@gatehouse/contract/kinds/node/files/files';
import { folderOf, joinPath, resolvePath } from '@gatehouse/contract/kinds/node/files/paths';
import type { BrowserServices } from '../../../platform/browser/browser-services.tsx';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { t } from '../../../platform/i18n/words.ts';
import { FileCalls, type FilesAt, type Listing, type OpenedFiles } from './file-calls.ts';
import { UploadQueue } from './upload-queue.ts';

export interface FilesView {
  opened?: OpenedFiles;
  /** Where one is, or is going; undefined until it is known. */
  path?: string;
  listing?: Listing;
  isLoading: boolean;
  error?: unknown;
  selected: ReadonlySet<string>;
  challenge?: AuthenticateChallenge;
}

export interface FilesLocation {
  view: Store<FilesView>;
  calls: FileCalls;
  uploads: UploadQueue;
  /** Goes to a folder; without one to the home of the login. */
  go(path?: string): Promise<void>;
  /** Goes where a shell is, once for each such folder; home where that is unknown or cannot be shown. */
  follow(shellFolder: string | undefined): Promise<void>;
  refresh(): Promise<void>;
  select(names: ReadonlySet<string>): void;
  answerFactor(answer: FactorAnswer | undefined): void;
}

const EMPTY: ReadonlySet<string> = new Set();
const made = new WeakMap<BrowserServices, Map<string, FilesLocation>>();

export function filesLocationOf(browser: BrowserServices, at: FilesAt): FilesLocation {
  const places = made.get(browser) ?? new Map<string, FilesLocation>();
  made.set(browser, places);
  const key = JSON.stringify([at.clusterId, at.server, at.login]);
  const place = places.get(key) ?? createFilesLocation(browser, at);
  places.set(key, place);
  return place;
}

export function createFilesLocation(browser: Pick<BrowserServices, 'send' | 'sendBytes'>, at: FilesAt): FilesLocation {
  const view = createStore<FilesView>({ isLoading: false, selected: EMPTY });
  let asking: PromiseWithResolvers<FactorAnswer> | undefined;
  let loading: AbortController | undefined;
  let followed: string | undefined;
  const change = (part: Partial<FilesView>) => view.set((before) => ({ ...before, ...part }));

  const calls = new FileCalls(browser, at, (challenge) => {
    asking = Promise.withResolvers();
    change({ challenge });
    return asking.promise;
  });

  const uploads: UploadQueue = new UploadQueue({
    wire: calls,
    explain: (error) => failureWords(t, error),
    onDone({ folder, name }) {
      // Many small files end close together: the folder is read again once they have.
      const here = view.get().path;
      const touches =
        here === folder || (name.includes('/') && here === joinPath(folder, folderOf(`/${name}`).slice(1)));
      const isLast = !uploads.items.get().some(({ state }) => state === 'running' || state === 'waiting');
      if (touches && isLast) void place.refresh();
    },
  });

  const load = async (wanted: string | undefined) => {
    loading?.abort();
    const mine = new AbortController();
    loading = mine;
    view.set(({ error: _, ...before }) => ({
      ...before,
      isLoading: true,
      ...(wanted === undefined ? {} : { path: wanted }),
    }));
    try {
      const opened = await calls.open();
      const path = wanted ?? opened.home;
      change({ opened, path });
      const listing = await calls.list(path, mine.signal);
      if (mine.signal.aborted) return;
      const there = new Set(listing.entries.map(({ name }) => name));
      const kept = [...view.get().selected].filter((name) => there.has(name));
      change({ listing, isLoading: false, selected: new Set(kept) });
    } catch (error) {
      if (!mine.signal.aborted) change({ error, isLoading: false });
    }
  };

  const place: FilesLocation = {
    view,
    calls,
    uploads,
    go(path) {
      change({ selected: EMPTY });
      return load(path);
    },
    async follow(shellFolder) {
      const { path, isLoading } = view.get();
      if (shellFolder === undefined || shellFolder === followed) {
        if (path === undefined && !isLoading) await load(undefined);
        return;
      }
      followed = shellFolder;
      const home = await calls.open().then(
        (opened) => opened.home,
        () => undefined,
      );
      change({ selected: EMPTY });
      await load(home === undefined ? undefined : resolvePath(shellFolder, { folder: home, home }));
      // It said where it is on another machine, or in a container, or what is gone.
      if (home !== undefined && view.get().error !== undefined) await load(undefined);
    },
    refresh: () => load(view.get().path),
    select: (selected) => change({ selected }),
    answerFactor(answer) {
      view.set(({ challenge: _, ...before }) => before);
      if (answer) asking?.resolve(answer);
      else asking?.reject(new Error(t('files.factor-refused')));
      asking = undefined;
    },
  };
  return place;
}

export type SortKey = 'name' | 'size' | 'modified' | 'mode';

/** Folders first, whatever is sorted by; names as people count, so that 9 comes before 10. */
export function shownEntries(
  entries: readonly FileEntry[],
  { sort, hidden }: { sort: { key: string; direction: 'asc' | 'desc' }; hidden: boolean },
): FileEntry[] {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const sign = sort.direction === 'asc' ? 1 : -1;
  const byName = (a: FileEntry, b: FileEntry) => collator.compare(a.name, b.name);
  const compare: Record<string, (a: FileEntry, b: FileEntry) => number> = {
    name: byName,
    size: (a, b) => a.size - b.size,
    modified: (a, b) => a.modified - b.modified,
    mode: (a, b) => a.mode - b.mode,
  };
  const by = compare[sort.key] ?? byName;
  return entries
    .filter(({ name }) => hidden || !name.startsWith('.'))
    .sort((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || sign * by(a, b) || byName(a, b));
}

export function isFolder({ type, target }: Pick<FileEntry, 'type' | 'target'>): boolean {
  return type === 'folder' || (type === 'link' && target === 'folder');
}

/** As `ls -l` has it. */
export function modeText(mode: number): string {
  return [6, 3, 0]
    .map((shift) => ['r', 'w', 'x'].map((letter, bit) => ((mode >> shift) & (4 >> bit) ? letter : '-')).join(''))
    .join('');
}
