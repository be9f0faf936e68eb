/** The terminals of one browser tab. They live on while another screen of the console is shown, and through a reload. */
import { type ParticipantMode, TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { z } from 'zod';
import { type ExecTarget, execPath } from '../../../kinds/kube/connect/exec-path.ts';
import type { BrowserServices } from '../../../platform/browser/browser-services.tsx';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import { readToken } from '../../../platform/sign-in/token.ts';
import { readPageConfig } from '../../../platform/sign-in/user.ts';
import { readSettings, type TerminalSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import { isOwnSession, type LeftTerminal, type LiveTerminal, startTerminal } from '../session/live-terminal.ts';
import {
  changePane,
  closePane,
  currentPane,
  currentTab,
  NO_TABS,
  openTab,
  type Pane,
  splitTab,
  type Tab,
  type Tabs,
  tabs as tabsSchema,
} from './tabs.ts';

const TABS_KEY = 'gatehouse_terminal_tabs';
const KEPT_KEY = 'gatehouse_terminal_kept_';
/** More than this of one terminal is not worth the browser's small storage. */
const MAX_KEPT = 400_000;

const keptText = z.object({
  writer: z.string(),
  offset: z.int().min(0),
  input: z.array(z.int().min(0).max(255)),
  screen: z.string(),
  size: z.object({ cols: z.int().min(1).max(4095), rows: z.int().min(1).max(4095) }),
});

export interface Workspace {
  tabs: Store<Tabs>;
  /** Made when first asked for. */
  live(pane: Pane): LiveTerminal;
  /** Those that were made. */
  known(): LiveTerminal[];
  open(clusterId: string, server: string, login: string, serverName?: string): Pane;
  openExec(clusterId: string, exec: ExecTarget): Pane;
  /** Another session where this one is. */
  duplicate(pane: Pane): Pane;
  /** Without a mode: one types in one's own session and looks at that of others. */
  attach(clusterId: string, sid: string, mode?: ParticipantMode): Pane;
  split(tab: Tab, direction: Tab['split']): void;
  /** A new session in the place of one that is over. */
  again(pane: Pane): void;
  closePane(id: string): void;
  closeTab(tab: Tab): void;
  set(settings: TerminalSettings): void;
  /** The address that says what is in front, as it was last written. */
  wrotePath: string;
  /** What takes keys that are not for the shell. */
  onKey: (event: KeyboardEvent) => boolean;
  /** The name of the field one types in, for those who hear the page. */
  label: string;
}

const made = new WeakMap<BrowserServices, Workspace>();

/** One for each page load. */
export function workspaceOf(browser: BrowserServices): Workspace {
  const known = made.get(browser) ?? createWorkspace(browser, window.sessionStorage);
  made.set(browser, known);
  return known;
}

export function createWorkspace(browser: BrowserServices, memory: Storage): Workspace {
  const tabs = createStore<Tabs>(readTabs(memory.getItem(TABS_KEY)));
  const lives = new Map<string, LiveTerminal>();
  let settings = readSettings(
    browser.storage.getItem('terminal') ?? undefined,
    readPageConfig(browser.pageConfig).ui.scrollbackLines,
  );

  tabs.subscribe(() => memory.setItem(TABS_KEY, JSON.stringify(tabs.get())));
  const checkAll = () => {
    if (document.visibilityState === 'visible') for (const live of lives.values()) live.check();
  };
  window.addEventListener('online', checkAll);
  browser.connection.subscribe(() => browser.connection.state() === 'ok' && checkAll());
  window.addEventListener('offline', () => {
    for (const live of lives.values()) live.offline();
  });
  document.addEventListener('visibilitychange', checkAll);
  window.addEventListener('pagehide', () => {
    // Whoever signed out leaves nothing behind.
    if (!readToken(browser.storage)) return memory.removeItem(TABS_KEY);
    for (const [id, live] of lives) keepTerminal(memory, id, live);
    // A phone puts pages away that nobody has closed: their shells wait as long as after a lost network.
    if (window.matchMedia?.('(pointer: coarse)').matches) for (const live of lives.values()) live.putAway();
  });

  const targetOf = (pane: Pane) => {
    const { server, login, exec, request } = pane;
    if (pane.sid === undefined) return exec ? { exec, request } : { server, login, request };
    const kept = takeKept(memory, pane.id);
    return { sid: pane.sid, ...(pane.mode ? { mode: pane.mode } : {}), ...(kept ? { kept } : {}) };
  };
  const live = (pane: Pane) => {
    const known = lives.get(pane.id);
    if (known) return known;
    const started = startTerminal(targetOf(pane), {
      openSocket: () => browser.openSocket(TERMINAL_SOCKET.replace(':clusterId', encodeURIComponent(pane.clusterId))),
      token: () => readToken(browser.storage)?.accessToken,
      now: browser.now,
      label: workspace.label,
      settings: () => settings,
      onKey: (event) => workspace.onKey(event),
      onSession: ({ sid, server, login }) =>
        // A session in a pod knows its cluster only; the tab is called by the pod.
        tabs.set((before) =>
          changePane(before, pane.id, {
            sid,
            ...(pane.exec ? {} : { server: server.id, serverName: server.name, login }),
          }),
        ),
      isWatched: () => document.hasFocus() && currentTab(tabs.get())?.panes.some(({ id }) => id === pane.id) === true,
    });
    lives.set(pane.id, started);
    // Behind another tab it is not shown, and would end if nobody took hold of it.
    if (pane.sid !== undefined) setTimeout(started.connect);
    return started;
  };
  const forget = (id: string, how: 'end' | 'leave') => {
    const known = lives.get(id);
    lives.delete(id);
    memory.removeItem(KEPT_KEY + id);
    if (known && !isOwnSession(known.view.get())) known.leave();
    else known?.[how]();
  };
  const add = (pane: Pane): Pane => {
    tabs.set((before) => openTab(before, crypto.randomUUID(), pane));
    return pane;
  };

  const workspace: Workspace = {
    tabs,
    live,
    known: () => [...lives.values()],
    open: (clusterId, server, login, serverName) => add(newPane({ clusterId, server, login, serverName })),
    openExec: (clusterId, exec) => {
      const { pod, container } = exec;
      const serverName = container === undefined ? pod : `${pod}/${container}`;
      return add(newPane({ clusterId, server: pod, login: '', serverName, exec }));
    },
    duplicate: (pane) => add(newPane(pane)),
    attach: (clusterId, sid, mode) =>
      add({ ...newPane({ clusterId, server: sid, login: '' }), sid, ...(mode ? { mode } : {}) }),
    split(tab, direction) {
      const from = tab.panes.find(({ id }) => id === tab.current);
      if (from) tabs.set((before) => splitTab(before, tab.id, newPane(from), direction));
    },
    again(pane) {
      forget(pane.id, 'leave');
      const { sid: _, ...fresh } = newPane(pane);
      tabs.set((before) => replacePane(before, pane.id, fresh));
    },
    closePane(id) {
      tabs.set((before) => closePane(before, id));
      forget(id, 'end');
    },
    closeTab(tab) {
      for (const { id } of tab.panes) workspace.closePane(id);
    },
    set(next) {
      settings = next;
      for (const each of lives.values()) each.set(next);
    },
    wrotePath: '',
    onKey: () => false,
    label: '',
  };
  return workspace;
}

export function newPane(
  from: Pick<Pane, 'clusterId' | 'server' | 'login' | 'exec'> & { serverName?: string | undefined },
): Pane {
  const { clusterId, server, login, serverName, exec } = from;
  const id = crypto.randomUUID();
  const named = serverName === undefined ? {} : { serverName };
  return { id, clusterId, server, login, request: id, ...named, ...(exec ? { exec } : {}) };
}

function replacePane(before: Tabs, id: string, fresh: Pane): Tabs {
  return {
    ...before,
    tabs: before.tabs.map((tab) => ({
      ...tab,
      panes: tab.panes.map((each) => (each.id === id ? fresh : each)),
      current: tab.current === id ? fresh.id : tab.current,
    })),
  };
}

/** True when the pane in front is the one that an address names. */
export function isShown(
  given: Tabs,
  wanted:
    | { sid: string; mode: ParticipantMode | undefined }
    | { server: string; login: string }
    | { clusterId: string; exec: ExecTarget },
): boolean {
  const pane = currentPane(given);
  if (!pane) return false;
  if ('sid' in wanted) return pane.sid === wanted.sid && (wanted.mode === undefined || pane.mode === wanted.mode);
  if (pane.sid !== undefined) return false;
  if ('exec' in wanted)
    return pane.exec !== undefined && execPath(pane.clusterId, pane.exec) === execPath(wanted.clusterId, wanted.exec);
  return pane.exec === undefined && pane.server === wanted.server && pane.login === wanted.login;
}

function readTabs(text: string | null): Tabs {
  try {
    return tabsSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return NO_TABS;
  }
}

function keepTerminal(memory: Storage, id: string, live: LiveTerminal): void {
  const left = live.keep();
  if (!left) return;
  const { leftOff, screen, size } = left;
  const { writer, input } = leftOff;
  const text = JSON.stringify({ writer, offset: input.offset, input: [...input.bytes], screen, size });
  // Too much, or no room: the holder of the shell then draws the screen again.
  if (text.length > MAX_KEPT) return;
  try {
    memory.setItem(KEPT_KEY + id, text);
  } catch {
    memory.removeItem(KEPT_KEY + id);
  }
}

/** Taken once: a second page that was copied from this one must not type under the same number. */
function takeKept(memory: Storage, id: string): LeftTerminal | undefined {
  const text = memory.getItem(KEPT_KEY + id);
  memory.removeItem(KEPT_KEY + id);
  const read = text === null ? undefined : keptText.safeParse(JSON.parse(text)).data;
  if (!read) return undefined;
  const { writer, offset, input, screen, size } = read;
  return { leftOff: { writer, input: { offset, bytes: Uint8Array.from(input) } }, screen, size };
}
