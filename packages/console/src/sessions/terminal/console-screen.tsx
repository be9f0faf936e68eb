/** Terminals side by side in tabs: what the address names is in front, and what is in front is in the address. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { PARTICIPANT_MODES, type ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { Fragment, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { execPath, execTexts, readExecTexts } from '../../kinds/kube/connect/exec-path.ts';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useStore } from '../../platform/browser/store.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage, useReplacePath } from '../../platform/routing/routing.tsx';
import { useFlags } from '../../platform/sign-in/user.ts';
import { useTerminalSettings } from '../../shared/terminal-theme/terminal-settings.ts';
import { CloseDialog } from './close-dialog.tsx';
import styles from './console.module.css';
import beside from './files-beside.module.css';
import { FilesBeside } from './files-beside.tsx';
import { KeyBar } from './key-bar.tsx';
import { PaneDivider } from './pane/pane-divider.tsx';
import { TerminalPane } from './pane/terminal-pane.tsx';
import { isOwnSession } from './session/live-terminal.ts';
import { StatusBar } from './status-bar.tsx';
import { TabStrip } from './tab-strip.tsx';
import { useCommands } from './use-commands.ts';
import { useKeyboardRoom } from './use-keyboard-room.ts';
import { useServerNames } from './use-server-names.ts';
import { useShare } from './use-share.ts';
import {
  currentPane,
  currentTab,
  evenPanes,
  moveEdge,
  type Pane,
  sharesOf,
  showPane,
  showTab,
  type Tabs,
  tabName,
} from './workspace/tabs.ts';
import { isShown, type Workspace, workspaceOf } from './workspace/workspace.ts';

export function ConsoleScreen() {
  const t = useTranslate();
  const browser = useBrowser();
  const workspace = workspaceOf(browser);
  workspace.label = t('terminal.input');
  const place = useRef<HTMLDivElement>(null);
  const tabs = useStore(workspace.tabs);
  const { nodes } = useFlags();
  const [settings, change] = useTerminalSettings();
  const [closing, setClosing] = useState<readonly Pane[]>([]);
  const [renaming, setRenaming] = useState<string>();
  const [showsFiles, setShowsFiles] = useState(false);
  const toggleFiles = useCallback(() => setShowsFiles((before) => !before), []);
  useAddress(workspace, tabs);
  useServerNames(workspace, tabs);
  useKeyboardRoom(place);
  useEffect(() => workspace.set(settings), [workspace, settings]);
  useEffect(() => {
    // The shell gives the focus to the place of the screen whenever the address changes, and so does its skip link.
    const main = place.current?.closest('main');
    const pass = () => {
      const pane = currentPane(workspace.tabs.get());
      if (pane) workspace.live(pane).screen.focus();
    };
    main?.addEventListener('focus', pass);
    return () => main?.removeEventListener('focus', pass);
  }, [workspace]);

  const shown = currentTab(tabs);
  const front = currentPane(tabs);
  const close = (panes: readonly Pane[]) => {
    if (panes.some((pane) => isBusy(workspace, pane))) setClosing(panes);
    else for (const { id } of panes) workspace.closePane(id);
  };
  const share = useShare();
  const run = useCommands({ workspace, settings, change, close, toggleFiles, share, place });

  return (
    <div ref={place} className={styles.workspace} data-scheme={settings.theme}>
      <VisuallyHidden>
        <h1>{t('pages.console')}</h1>
      </VisuallyHidden>
      <TabStrip
        workspace={workspace}
        tabs={tabs}
        settings={settings}
        renaming={renaming}
        showsFiles={showsFiles}
        onRename={setRenaming}
        onClose={close}
        onCommand={run}
        onChange={change}
      />
      {shown ? (
        <>
          <div className={beside.both}>
            <div className={styles.panes} data-split={shown.split}>
              {shown.panes.map((pane, index) => (
                <Fragment key={pane.id}>
                  {index > 0 && (
                    <PaneDivider
                      split={shown.split}
                      share={sharesOf(shown)[index - 1] ?? 0}
                      onMove={(part) => workspace.tabs.set((before) => moveEdge(before, shown.id, index - 1, part))}
                      onEven={() => workspace.tabs.set((before) => evenPanes(before, shown.id))}
                    />
                  )}
                  <TerminalPane
                    pane={pane}
                    live={workspace.live(pane)}
                    isCurrent={pane.id === shown.current}
                    isAlone={shown.panes.length === 1}
                    number={index + 1}
                    share={sharesOf(shown)[index] ?? 1}
                    theme={settings.theme}
                    onFocus={() => workspace.tabs.set((before) => showPane(before, pane.id))}
                    onAgain={() => workspace.again(pane)}
                    onClose={() => close([pane])}
                  />
                </Fragment>
              ))}
            </div>
            {showsFiles && front?.login && (
              <FilesBeside
                key={`${front.server} ${front.login}`}
                pane={front}
                live={workspace.live(front)}
                onClose={() => {
                  setShowsFiles(false);
                  workspace.live(front).screen.focus();
                }}
              />
            )}
          </div>
          <KeyBar live={workspace.live(currentPane(tabs) ?? (shown.panes[0] as Pane))} />
          <StatusBar live={workspace.live(currentPane(tabs) ?? (shown.panes[0] as Pane))} />
        </>
      ) : (
        <Suspense>{nodes ? <NewTerminal onOpen={workspace.open} /> : <NoServersHere />}</Suspense>
      )}
      {closing.length > 0 && (
        <CloseDialog
          panes={closing}
          programs={closing.map((pane) => workspace.live(pane).view.get().program).filter(Boolean)}
          onCancel={() => setClosing([])}
          onConfirm={() => {
            setClosing([]);
            for (const { id } of closing) workspace.closePane(id);
          }}
        />
      )}
    </div>
  );
}

const NoServersHere = lazyPart(() => import('./no-servers-here.tsx').then((file) => file.NoServersHere));

/** It needs the list of servers, which nobody waits for who has come to type. */
const NewTerminal = lazyPart(() => import('./new-terminal.tsx').then((file) => file.NewTerminal));

/** A program would end with it. */
function isBusy(workspace: Workspace, pane: Pane): boolean {
  const live = workspace.live(pane);
  const view = live.view.get();
  const { line, program } = view;
  return (
    isOwnSession(view) &&
    (line.is === 'open' || line.is === 'reconnecting') &&
    (program !== '' || live.screen.isFullScreen())
  );
}

function useAddress(workspace: Workspace, tabs: Tabs): void {
  const page = useCurrentPage();
  const replace = useReplacePath();
  const { name, params } = page ?? { name: undefined, params: {} as Record<string, string> };
  const { clusterId = '', serverId = '', login = '', sid = '', name: cluster = '', namespace = '', pod = '' } = params;

  useEffect(() => {
    // Our own doing: by now the terminal it names may have got further.
    if (pathHere() === workspace.wrotePath) return;
    const { get, set } = workspace.tabs;
    if (name === 'consoleNodes') set((before) => showTab(before, undefined));
    if (name === 'console' && get().current === undefined) set((before) => showTab(before, before.tabs.at(-1)?.id));
    if (name === 'consoleNode' && !isShown(get(), { server: serverId, login }))
      workspace.open(clusterId, serverId, login);
    const exec = { cluster, namespace, pod, ...readExecTexts(window.location.search) };
    if (name === 'consoleKube' && !isShown(get(), { clusterId, exec })) workspace.openExec(clusterId, exec);
    const mode = modeOf(window.location.search);
    if (name === 'consoleSession' && !isShown(get(), { sid, mode })) {
      const known = get()
        .tabs.flatMap(({ panes }) => panes)
        .find((pane) => pane.sid === sid && (mode === undefined || pane.mode === mode));
      if (known) set((before) => showPane(before, known.id));
      else workspace.attach(clusterId, sid, mode);
    }
  }, [workspace, name, clusterId, serverId, login, sid, cluster, namespace, pod]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is in front
  useEffect(() => {
    // Read again: what the address named may just have been opened.
    const path = pathOf(currentPane(workspace.tabs.get()), clusterId);
    if (!clusterId || path === pathHere()) return;
    workspace.wrotePath = path;
    replace(path);
  }, [workspace, replace, clusterId, tabs]);

  const shown = currentTab(tabs);
  const title = shown && tabName(shown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each title of a page, which knows the address only
  useEffect(() => {
    if (title) document.title = `${clusterId} • ${title}`;
  }, [title, clusterId, name, sid]);
}

/** With the mode in which a session is joined, or the container of a pod and who one is there, and nothing else that may follow the question mark. */
function pathHere(): string {
  const { pathname, search } = window.location;
  const mode = modeOf(search);
  if (mode !== undefined) return `${pathname}?mode=${mode}`;
  return `${pathname}${execTexts(readExecTexts(search))}`;
}

function modeOf(search: string): ParticipantMode | undefined {
  const given = new URLSearchParams(search).get('mode');
  return PARTICIPANT_MODES.find((mode) => mode === given);
}

function pathOf(pane: Pane | undefined, clusterId: string): string {
  if (!pane) return pagePath('consoleNodes', { clusterId });
  if (pane.sid !== undefined) {
    const path = pagePath('consoleSession', { clusterId: pane.clusterId, sid: pane.sid });
    return pane.mode === undefined ? path : `${path}?mode=${pane.mode}`;
  }
  if (pane.exec) return execPath(pane.clusterId, pane.exec);
  return pagePath('consoleNode', { clusterId: pane.clusterId, serverId: pane.server, login: pane.login });
}
