/** Holds that imports have a direction: between files, and between whatever lies side by side in a folder. */
import { expect, test } from 'vitest';
import { files, isTest, targetOf } from './sources.ts';

type Graph = Map<string, Set<string>>;

const imports = files.flatMap((file) =>
  file.imports.flatMap(({ from }) => {
    const target = targetOf(file, from);
    return target === undefined ? [] : [{ path: file.path, target }];
  }),
);

test('imports are found across packages, of either ending', () => {
  const across = imports.filter(({ path, target }) => path.split('/')[1] !== target.split('/')[1]);

  expect(across.some(({ target }) => target.startsWith('packages/design/src/') && target.endsWith('.tsx'))).toBe(true);
  expect(across.some(({ target }) => target.startsWith('packages/gateway/testing/'))).toBe(true);
  expect(across.some(({ target }) => target.startsWith('packages/contract/src/'))).toBe(true);
});

test('no file imports itself through others, types included', () => {
  const graph: Graph = new Map();
  for (const { path, target } of imports) addEdge(graph, path, target);

  expect(findCircle(graph)).toEqual([]);
});

/** A folder imports what any file below it does. Helpers of tests may use the whole of their package. */
test('of the files and folders in one folder, none imports itself through the others', () => {
  const folders = new Map<string, Graph>();
  for (const { path, target } of imports.filter((edge) => !isTest(edge) && !isTest({ path: edge.target }))) {
    const [from, to] = [path.split('/'), target.split('/')];
    const apart = from.findIndex((part, at) => part !== to[at]);
    const folder = from.slice(0, apart).join('/');
    const graph = folders.get(folder) ?? new Map();
    folders.set(folder, graph);
    addEdge(graph, from[apart]!, to[apart]!);
  }
  const circles = [...folders].flatMap(([folder, graph]) => {
    const circle = findCircle(graph);
    return circle.length > 0 ? [`${folder}: ${circle.join(' → ')}`] : [];
  });

  expect(circles).toEqual([]);
});

function addEdge(graph: Graph, from: string, to: string): void {
  if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
}

function findCircle(graph: Graph): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (node: string): string[] => {
    if (state.get(node) === 'done') return [];
    if (state.get(node) === 'open') return [...trail.slice(trail.indexOf(node)), node];
    state.set(node, 'open');
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle.length > 0) return circle;
    }
    trail.pop();
    state.set(node, 'done');
    return [];
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle.length > 0) return circle;
  }
  return [];
}
