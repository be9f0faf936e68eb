/** The tabs of one browser tab and the panes in them, as plain values. */
import { PARTICIPANT_MODES } from '@gatehouse/contract/sessions/terminal-frames';
import { z } from 'zod';

const execTarget = z.object({
  cluster: z.string(),
  namespace: z.string(),
  pod: z.string(),
  container: z.string().optional(),
  user: z.string().optional(),
});

const pane = z.object({
  id: z.string(),
  clusterId: z.string(),
  /** As the address named it; the session knows its name. */
  server: z.string(),
  serverName: z.string().optional(),
  login: z.string(),
  /** A shell in a pod, not on a server: it has no login. */
  exec: execTarget.optional(),
  sid: z.string().optional(),
  /** How one came into the session of somebody else. */
  mode: z.enum(PARTICIPANT_MODES).optional(),
  /** Names the wish to open it: asked twice it is opened once. */
  request: z.string(),
});
export type Pane = z.output<typeof pane>;

const tab = z.object({
  id: z.string(),
  /** Given by the person. */
  name: z.string().optional(),
  panes: z.array(pane).min(1),
  current: z.string(),
  split: z.enum(['row', 'column']),
  /** How much of it each pane has, of the sum; without them, or with another number of panes, all have the same. */
  shares: z.array(z.number().positive()).optional(),
});
export type Tab = z.output<typeof tab>;

export const tabs = z.object({ tabs: z.array(tab), current: z.string().optional() });
export type Tabs = z.output<typeof tabs>;

export const NO_TABS: Tabs = { tabs: [] };
const MAX_NAME = 60;
export const MAX_PANES = 4;
/** Of all, so that no pane is lost behind an edge. */
const MIN_SHARE = 0.1;

export function openTab(before: Tabs, id: string, first: Pane): Tabs {
  const opened: Tab = { id, panes: [first], current: first.id, split: 'row' };
  const at = before.tabs.findIndex((each) => each.id === before.current) + 1 || before.tabs.length;
  return { tabs: before.tabs.toSpliced(at, 0, opened), current: id };
}

/** Afterwards its neighbour is shown. */
export function closeTab(before: Tabs, id: string): Tabs {
  const at = before.tabs.findIndex((each) => each.id === id);
  if (at < 0) return before;
  const left = before.tabs.toSpliced(at, 1);
  const current = before.current === id ? (left[at] ?? left.at(-1))?.id : before.current;
  return { tabs: left, ...(current === undefined ? {} : { current }) };
}

export function showTab(before: Tabs, id: string | undefined): Tabs {
  if (id === undefined) return { tabs: before.tabs };
  return before.tabs.some((each) => each.id === id) ? { ...before, current: id } : before;
}

/** The one before or after, round the ends. */
export function besideTab(before: Tabs, step: 1 | -1): string | undefined {
  const at = before.tabs.findIndex((each) => each.id === before.current);
  return before.tabs.at((at + step) % before.tabs.length)?.id;
}

export function moveTab(before: Tabs, id: string, to: number): Tabs {
  const at = before.tabs.findIndex((each) => each.id === id);
  const moved = before.tabs[at];
  if (!moved) return before;
  const place = Math.max(0, Math.min(to, before.tabs.length - 1));
  return { ...before, tabs: before.tabs.toSpliced(at, 1).toSpliced(place, 0, moved) };
}

/** Without a name it is called after what is in it. */
export function renameTab(before: Tabs, id: string, name: string): Tabs {
  const given = name.trim().slice(0, MAX_NAME);
  return changeTab(before, id, ({ name: _, ...each }) => (given ? { ...each, name: given } : each));
}

export function splitTab(before: Tabs, id: string, added: Pane, split: Tab['split']): Tabs {
  return changeTab(before, id, (each) => {
    if (each.panes.length >= MAX_PANES) return each;
    const at = each.panes.findIndex((one) => one.id === each.current) + 1;
    return { ...each, panes: each.panes.toSpliced(at, 0, added), current: added.id, split };
  });
}

/** Of the whole, by pane. */
export function sharesOf({ panes, shares }: Pick<Tab, 'panes' | 'shares'>): number[] {
  if (shares?.length !== panes.length) return panes.map(() => 1 / panes.length);
  const sum = shares.reduce((all, share) => all + share, 0);
  return shares.map((share) => share / sum);
}

/** Moves the edge after a pane by a part of the whole, as far as both beside it stay to be seen. */
export function moveEdge(before: Tabs, id: string, index: number, part: number): Tabs {
  return changeTab(before, id, (each) => {
    const shares = sharesOf(each);
    const [first, second] = [shares[index], shares[index + 1]];
    if (first === undefined || second === undefined) return each;
    const most = first + second - MIN_SHARE;
    const moved = Math.min(most, Math.max(MIN_SHARE, first + part));
    return { ...each, shares: shares.with(index, moved).with(index + 1, first + second - moved) };
  });
}

export function evenPanes(before: Tabs, id: string): Tabs {
  return changeTab(before, id, ({ shares: _, ...each }) => each);
}

/** The last pane takes its tab along. */
export function closePane(before: Tabs, id: string): Tabs {
  const owner = tabOf(before, id);
  if (!owner) return before;
  const left = owner.panes.filter((each) => each.id !== id);
  const [first] = left;
  if (!first) return closeTab(before, owner.id);
  const current = owner.current === id ? first.id : owner.current;
  return changeTab(before, owner.id, (each) => ({ ...each, panes: left, current }));
}

export function showPane(before: Tabs, id: string): Tabs {
  const owner = tabOf(before, id);
  if (!owner || (owner.current === id && before.current === owner.id)) return before;
  return changeTab({ ...before, current: owner.id }, owner.id, (each) => ({ ...each, current: id }));
}

export function changePane(before: Tabs, id: string, change: Partial<Pane>): Tabs {
  const owner = tabOf(before, id);
  if (!owner) return before;
  return changeTab(before, owner.id, (each) => ({
    ...each,
    panes: each.panes.map((one) => (one.id === id ? { ...one, ...change } : one)),
  }));
}

export function tabOf({ tabs: all }: Tabs, paneId: string): Tab | undefined {
  return all.find(({ panes }) => panes.some(({ id }) => id === paneId));
}

export function currentTab({ tabs: all, current }: Tabs): Tab | undefined {
  return all.find(({ id }) => id === current);
}

export function currentPane(given: Tabs): Pane | undefined {
  const shown = currentTab(given);
  return shown?.panes.find(({ id }) => id === shown.current);
}

export function paneName({ login, server, serverName }: Pick<Pane, 'login' | 'server' | 'serverName'>): string {
  const name = serverName ?? server;
  return login ? `${login}@${name}` : name;
}

export function tabName(given: Tab): string {
  const shown = given.panes.find(({ id }) => id === given.current) ?? given.panes[0];
  return given.name ?? (shown ? paneName(shown) : '');
}

/** As it is shown: the second of the same name is numbered. */
export function shownNames({ tabs: all }: Tabs): Map<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    all.map((each) => {
      const name = tabName(each);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [each.id, count > 1 ? `${name} (${count})` : name];
    }),
  );
}

function changeTab(before: Tabs, id: string, change: (each: Tab) => Tab): Tabs {
  return { ...before, tabs: before.tabs.map((each) => (each.id === id ? change(each) : each)) };
}
