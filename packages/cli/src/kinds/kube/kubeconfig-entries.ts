/** A kubeconfig file as a document: ours is put in and taken out, and everything else stays with its comments and in its order. */
import { type Document, isMap, isSeq, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';

export class BrokenKubeconfig extends Error {}

/** The lists of a kubeconfig file, and what each entry has beside its name. */
const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;
export type KubeconfigList = keyof typeof LISTS;

export interface Kubeconfig {
  /** What an entry of that name has; undefined where there is none. */
  find(list: KubeconfigList, name: string): unknown;
  names(list: KubeconfigList): string[];
  put(list: KubeconfigList, name: string, value: object): void;
  remove(list: KubeconfigList, name: string): void;
  current(): string;
  /** Empty: none. */
  setCurrent(context: string): void;
  text(): string;
}

/** Throws `BrokenKubeconfig` for what is none: nobody's file is written anew over what is not understood. */
export function readKubeconfig(text: string): Kubeconfig {
  const document = parseDocument(text);
  const [wrong] = document.errors;
  if (wrong) throw new BrokenKubeconfig(wrong.message.split('\n', 1)[0]);
  if (document.contents === null)
    document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' }) as never;
  const root: unknown = document.contents;
  if (!isMap(root)) throw new BrokenKubeconfig('it is no map');

  const listOf = (list: KubeconfigList): YAMLSeq | undefined => {
    const found = root.get(list, true) as unknown;
    if (isSeq(found)) return found;
    // Nothing is as good as an empty one.
    if (root.get(list) === undefined) return undefined;
    throw new BrokenKubeconfig(`'${list}' is no list`);
  };
  const entryOf = (list: KubeconfigList, name: string): YAMLMap | undefined =>
    listOf(list)?.items.find((item): item is YAMLMap => isMap(item) && item.get('name') === name);

  return {
    find(list, name) {
      const entry = entryOf(list, name);
      return entry && (entry.toJS(document) as Record<string, unknown>)[LISTS[list]];
    },
    names: (list) =>
      (listOf(list)?.items ?? []).flatMap((item) => {
        const name: unknown = isMap(item) ? item.get('name') : undefined;
        return typeof name === 'string' ? [name] : [];
      }),
    put(list, name, value) {
      const entry = entryOf(list, name);
      if (entry) {
        entry.set(LISTS[list], document.createNode(value));
        return;
      }
      const fresh = document.createNode({ [LISTS[list]]: value, name });
      const known = listOf(list);
      if (!known) {
        root.set(list, document.createNode([fresh]));
        return;
      }
      // As one entry a line, also where an empty list stood as brackets.
      if (known.items.length === 0) known.flow = false;
      known.add(fresh);
    },
    remove(list, name) {
      const known = listOf(list);
      const entry = entryOf(list, name);
      if (known && entry) known.items.splice(known.items.indexOf(entry), 1);
    },
    current: () => {
      const name: unknown = root.get('current-context');
      return typeof name === 'string' ? name : '';
    },
    setCurrent(context) {
      if (context !== '' || root.has('current-context')) root.set('current-context', context);
    },
    text: () => written(document, text),
  };
}

/** One that is new, as kubectl would write it. */
export function writeKubeconfig(whole: object): string {
  return stringify(whole, { lineWidth: 0, indentSeq: false });
}

/** As the file was written before, as far as one can tell; kubectl puts no spaces before the entries of a list. */
function written(document: Document, before: string): string {
  const text = document.toString({
    lineWidth: 0,
    indentSeq: /^\w[\w-]*:[ \t]*\r?\n[ \t]+-/m.test(before),
    flowCollectionPadding: !/[{[][^\s{}[\]]/.test(before),
  });
  return before.includes('\r\n') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}
