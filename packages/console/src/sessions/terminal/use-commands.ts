/** Does what the keys and the menu ask for. */
import { type RefObject, useCallback, useEffect } from 'react';
import { steppedSize, type TerminalSettings } from '../../shared/terminal-theme/terminal-settings.ts';
import { type Command, commandOf } from './terminal-keys.ts';
import { besideTab, currentPane, currentTab, moveTab, type Pane, showPane, showTab } from './workspace/tabs.ts';
import type { Workspace } from './workspace/workspace.ts';

interface CommandDeps {
  workspace: Workspace;
  settings: TerminalSettings;
  change: (part: Partial<TerminalSettings>) => void;
  close: (panes: readonly Pane[]) => void;
  /** Shows the files of the server in front, or takes them away. */
  toggleFiles: () => void;
  /** Copies the way into a session. */
  share: (pane: Pane) => void;
  place: RefObject<HTMLElement | null>;
}

const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);

export function useCommands(deps: CommandDeps): (command: Command) => void {
  const { workspace, settings, change, close, toggleFiles, share, place } = deps;
  const run = useCallback(
    (command: Command) => {
      const { tabs } = workspace;
      const tab = currentTab(tabs.get());
      const pane = currentPane(tabs.get());
      const live = pane && workspace.live(pane);
      const at = tabs.get().tabs.findIndex(({ id }) => id === tab?.id);
      const act: Record<Command, () => unknown> = {
        find: () => live?.find(true),
        copy: () => live?.screen.copy(),
        'new-tab': () => tabs.set((before) => showTab(before, undefined)),
        close: () => pane && close([pane]),
        next: () => tabs.set((before) => showTab(before, besideTab(before, 1))),
        previous: () => tabs.set((before) => showTab(before, besideTab(before, -1))),
        'move-right': () => tab && tabs.set((before) => moveTab(before, tab.id, at + 1)),
        'move-left': () => tab && tabs.set((before) => moveTab(before, tab.id, at - 1)),
        'split-right': () => tab && workspace.split(tab, 'row'),
        'split-down': () => tab && workspace.split(tab, 'column'),
        'next-pane': () => {
          const index = tab?.panes.findIndex(({ id }) => id === pane?.id) ?? 0;
          const next = tab?.panes[(index + 1) % tab.panes.length];
          if (next) tabs.set((before) => showPane(before, next.id));
        },
        larger: () => change({ fontSize: steppedSize(settings.fontSize, 1) }),
        smaller: () => change({ fontSize: steppedSize(settings.fontSize, -1) }),
        files: toggleFiles,
        'full-screen': () => toggleFullScreen().then(() => live?.screen.focus()),
        share: () => pane && share(pane),
        leave: () => place.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus(),
      };
      act[command]();
    },
    [workspace, settings, change, close, toggleFiles, share, place],
  );

  useEffect(() => {
    workspace.onKey = (event) => {
      const command = commandOf(event, IS_MAC);
      if (command) run(command);
      return command !== undefined;
    };
    return () => {
      workspace.onKey = () => false;
    };
  }, [workspace, run]);
  return run;
}

/** The whole page, over which terminals then lie: of a part of it, questions and menus would not be shown. */
async function toggleFullScreen(): Promise<void> {
  // A browser that refuses leaves it as it is.
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
  else await document.documentElement.requestFullscreen?.().catch(() => {});
}
