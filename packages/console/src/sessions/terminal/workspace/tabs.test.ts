import { expect, test } from 'vitest';
import {
  besideTab,
  changePane,
  closePane,
  closeTab,
  currentPane,
  evenPanes,
  MAX_PANES,
  moveEdge,
  moveTab,
  NO_TABS,
  openTab,
  type Pane,
  renameTab,
  sharesOf,
  shownNames,
  showPane,
  showTab,
  splitTab,
  type Tabs,
  tabName,
} from './tabs.ts';

const pane = (id: string): Pane => ({ id, clusterId: 'one', server: `s-${id}`, login: 'root', request: id });
const opened = (...names: string[]): Tabs => names.reduce((before, name) => openTab(before, name, pane(name)), NO_TABS);
const order = ({ tabs }: Tabs) => tabs.map(({ id }) => id).join('');

test('a new tab comes after the one in front and is shown', () => {
  const tabs = openTab(showTab(opened('a', 'b', 'c'), 'a'), 'd', pane('d'));

  expect(order(tabs)).toBe('adbc');
  expect(tabs.current).toBe('d');
});

test('after a close its neighbour is shown, in the end none', () => {
  const tabs = opened('a', 'b', 'c');

  expect(closeTab(tabs, 'c').current).toBe('b');
  expect(closeTab(showTab(tabs, 'a'), 'a').current).toBe('b');
  expect(closeTab(showTab(tabs, 'a'), 'c').current).toBe('a');
  expect(closeTab(opened('a'), 'a')).toEqual({ tabs: [] });
});

test('tabs are gone through round the ends, and moved only within them', () => {
  const tabs = opened('a', 'b', 'c');

  expect(besideTab(tabs, 1)).toBe('a');
  expect(besideTab(showTab(tabs, 'a'), -1)).toBe('c');
  expect(order(moveTab(tabs, 'a', 2))).toBe('bca');
  expect(order(moveTab(tabs, 'a', -1))).toBe('abc');
  expect(order(moveTab(tabs, 'c', 9))).toBe('abc');
});

test('a name is what the person gave, or what is in the tab', () => {
  const tabs = changePane(opened('a'), 'a', { serverName: 'web-01' });
  const name = (given: Tabs) => given.tabs[0] && tabName(given.tabs[0]);

  expect(name(tabs)).toBe('root@web-01');
  expect(name(renameTab(tabs, 'a', '  deploy '))).toBe('deploy');
  expect(name(renameTab(renameTab(tabs, 'a', 'deploy'), 'a', ' '))).toBe('root@web-01');
});

test('a tab holds so many panes; closing the last closes it', () => {
  let tabs = opened('a');
  for (const id of ['1', '2', '3', '4']) tabs = splitTab(tabs, 'a', pane(id), 'column');

  expect(tabs.tabs[0]?.panes).toHaveLength(MAX_PANES);
  expect(currentPane(tabs)?.id).toBe('3');
  tabs = closePane(showPane(tabs, '1'), '1');
  expect(currentPane(tabs)?.id).toBe('a');
  for (const id of ['a', '2', '3']) tabs = closePane(tabs, id);
  expect(tabs).toEqual({ tabs: [] });
});

test('an edge between panes is moved as far as both stay to be seen, and evened out', () => {
  const split = splitTab(opened('a'), 'a', pane('b'), 'row');
  const shares = (given: Tabs) => given.tabs[0] && sharesOf(given.tabs[0]).map((share) => Math.round(share * 100));
  const moved = moveEdge(split, 'a', 0, 0.2);

  expect(shares(split)).toEqual([50, 50]);
  expect(shares(moved)).toEqual([70, 30]);
  expect(shares(moveEdge(moved, 'a', 0, 0.9))).toEqual([90, 10]);
  expect(shares(moveEdge(moved, 'a', 0, -5))).toEqual([10, 90]);
  expect(shares(moveEdge(moved, 'a', 1, 0.2))).toEqual([70, 30]);
  expect(shares(evenPanes(moved, 'a'))).toEqual([50, 50]);
  expect(shares(splitTab(moved, 'a', pane('c'), 'row'))).toEqual([33, 33, 33]);
});

test('tabs of the same name are numbered, and a name that a person gave is kept', () => {
  const pane = (id: string) => ({ id, clusterId: 'c', server: 'web', serverName: 'web', login: 'root', request: id });
  const tab = (id: string, name?: string): Tabs['tabs'][number] => ({
    id,
    panes: [pane(id)],
    current: id,
    split: 'row',
    ...(name ? { name } : {}),
  });

  const names = shownNames({ tabs: [tab('1'), tab('2'), tab('3', 'logs'), tab('4')] });

  expect([...names.values()]).toEqual(['root@web', 'root@web (2)', 'logs', 'root@web (3)']);
});
