/** What a database has in it, as far as somebody has opened it: level by level, a few hundred at a time. */
import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { createStore } from '../../../../platform/browser/store.ts';
import { QuestionFailed, type Workbench } from '../bench/workbench.ts';

export interface Level {
  nodes: readonly TreeNode[];
  /** There are more, behind this one. */
  after: string | undefined;
  isLoading: boolean;
  failure: string | undefined;
}

export type Levels = Readonly<Record<string, Level>>;

export interface TreeView {
  levels: Levels;
  open: ReadonlySet<string>;
}

/** A line of the tree as it stands on the page. */
export type Line =
  | { is: 'node'; key: string; path: readonly string[]; node: TreeNode; depth: number; isOpen: boolean }
  | { is: 'more'; key: string; path: readonly string[]; depth: number; count: number }
  | { is: 'loading'; key: string; depth: number }
  | { is: 'none'; key: string; depth: number }
  | { is: 'failed'; key: string; path: readonly string[]; depth: number; why: string };

const EMPTY: Level = { nodes: [], after: undefined, isLoading: false, failure: undefined };
export const keyOf = (path: readonly string[]): string => JSON.stringify(path);

export type SchemaTree = ReturnType<typeof createTree>;

/** `usual`: what is meant where a table is named without a schema, the first that is there. It is open from the beginning. */
export function createTree(bench: Pick<Workbench, 'ask'>, usual: () => readonly (string | undefined)[]) {
  const view = createStore<TreeView>({ levels: {}, open: new Set() });
  const setLevel = (path: readonly string[], next: Partial<Level>) =>
    view.set((before) => ({
      ...before,
      levels: { ...before.levels, [keyOf(path)]: { ...(before.levels[keyOf(path)] ?? EMPTY), ...next } },
    }));

  const load = async (path: readonly string[]): Promise<void> => {
    const known = view.get().levels[keyOf(path)] ?? EMPTY;
    if (known.isLoading) return;
    setLevel(path, { isLoading: true, failure: undefined });
    try {
      const { after } = known;
      const { nodes, after: next } = await bench.ask(
        { type: 'tree', path: [...path], ...(after === undefined ? {} : { after }) },
        'nodes',
      );
      setLevel(path, { nodes: [...known.nodes, ...nodes], after: next, isLoading: false });
    } catch (error) {
      if (!(error instanceof QuestionFailed)) throw error;
      setLevel(path, { isLoading: false, failure: error.message });
    }
  };

  const open = (path: readonly string[]): Promise<void> => {
    const key = keyOf(path);
    view.set((before) => ({ ...before, open: new Set([...before.open, key]) }));
    return view.get().levels[key] ? Promise.resolve() : load(path);
  };

  /** Down to the tables of the usual schema: that is what nearly everybody would open first. */
  let isBegun = false;
  const begin = async (): Promise<void> => {
    await load([]);
    const schemas = view.get().levels[keyOf([])]?.nodes ?? [];
    if (isBegun || schemas.length === 0) return;
    isBegun = true;
    const schema = usual().find((name) => schemas.some((node) => node.name === name && !node.isLeaf));
    if (schema === undefined) return;
    await open([schema]);
    const first = view.get().levels[keyOf([schema])]?.nodes[0];
    if (first?.kind === 'group') await open([schema, first.name]);
  };

  return {
    view,
    /** The next of a level, or the first. */
    load,
    /** All that is open is asked for again. */
    refresh() {
      const opened = view.get().open;
      view.set({ levels: {}, open: opened });
      void begin();
      for (const key of opened) void load(JSON.parse(key) as string[]);
    },
    open,
    close(path: readonly string[]) {
      const key = keyOf(path);
      view.set((before) => ({ ...before, open: new Set([...before.open].filter((each) => each !== key)) }));
    },
  };
}

/** Letters narrow what is there; what was not opened is not looked into. */
export function linesOf({ levels, open }: TreeView, search: string): Line[] {
  const wanted = search.trim().toLowerCase();
  const lines: Line[] = [];
  const fits = (node: TreeNode, path: readonly string[]): boolean => {
    if (node.kind === 'schema' || node.kind === 'group' || node.name.toLowerCase().includes(wanted)) return true;
    return (levels[keyOf(path)]?.nodes ?? []).some((child) => child.name.toLowerCase().includes(wanted));
  };
  const walk = (path: readonly string[], depth: number) => {
    const level = levels[keyOf(path)];
    const key = keyOf(path);
    if (!level) return;
    for (const node of level.nodes) {
      const here = [...path, node.name];
      if (wanted !== '' && !fits(node, here)) continue;
      const isOpen = open.has(keyOf(here));
      lines.push({ is: 'node', key: keyOf(here), path: here, node, depth, isOpen });
      if (isOpen) walk(here, depth + 1);
    }
    if (level.isLoading) lines.push({ is: 'loading', key: `${key} loading`, depth });
    else if (level.failure !== undefined)
      lines.push({ is: 'failed', key: `${key} failed`, path, depth, why: level.failure });
    else if (level.after !== undefined)
      lines.push({ is: 'more', key: `${key} more`, path, depth, count: level.nodes.length });
    else if (level.nodes.length === 0) lines.push({ is: 'none', key: `${key} none`, depth });
  };
  walk([], 0);
  return lines;
}
