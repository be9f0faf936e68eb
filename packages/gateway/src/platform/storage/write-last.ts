/** What many do in one transaction and the store takes in one statement: it is held until the end of their transaction, and written for all. */
import type { Tx } from './tables.ts';

export interface LastWriter<Item> {
  /** What locks others out comes last: the smaller number is written first. */
  order: number;
  write(tx: Tx, items: readonly Item[]): Promise<void>;
}

interface GatheredItems {
  writer: LastWriter<unknown>;
  items: unknown[];
}

const gathered = new WeakMap<Tx, Map<object, GatheredItems>>();

/** At once; or, where the transaction gathers, with what others write by the same writer. Nothing may look for it in the transaction itself. */
export async function writeLast<Item>(tx: Tx, writer: LastWriter<Item>, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const all = gathered.get(tx);
  if (!all) return await writer.write(tx, items);
  const held = all.get(writer) ?? { writer: writer as LastWriter<unknown>, items: [] };
  all.set(writer, held);
  held.items.push(...items);
}

/** Nothing that `work` has written last is forgotten: it is in the transaction when this resolves. */
export async function gathering(tx: Tx, work: () => Promise<void>): Promise<void> {
  const all = new Map<object, GatheredItems>();
  gathered.set(tx, all);
  try {
    await work();
  } finally {
    gathered.delete(tx);
  }
  const inOrder = [...all.values()].sort((one, other) => one.writer.order - other.writer.order);
  for (const { writer, items } of inOrder) await writer.write(tx, items);
}
