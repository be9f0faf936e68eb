/** What many do in one transaction and the store takes in one statement: it is held until the end of their transaction, and written for all. */
import type { CompiledQuery } from 'kysely';
import type { Tx } from './tables.ts';
import { executeTogether } from './together.ts';

/** What locks others out comes last: the smaller number is written first. */
export type LastWriter<Item> = { order: number } & (
  | { compile(tx: Tx, items: readonly Item[]): CompiledQuery }
  | {
      /** `along`: what others write, in the same message as the first of its own. */
      write(tx: Tx, items: readonly Item[], along: readonly CompiledQuery[]): Promise<void>;
    }
);

interface GatheredItems {
  writer: LastWriter<unknown>;
  items: unknown[];
}

const gathered = new WeakMap<Tx, Map<object, GatheredItems>>();

/** At once; or, where the transaction gathers, with what others write by the same writer. Nothing may look for it in the transaction itself. */
export async function writeLast<Item>(tx: Tx, writer: LastWriter<Item>, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const all = gathered.get(tx);
  const mine = { writer: writer as LastWriter<unknown>, items: [...items] };
  if (!all) return await writeInOrder(tx, [mine]);
  const held = all.get(writer);
  if (held) held.items.push(...items);
  else all.set(writer, mine);
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
  await writeInOrder(
    tx,
    [...all.values()].sort((one, other) => one.writer.order - other.writer.order),
  );
}

async function writeInOrder(tx: Tx, all: readonly GatheredItems[]): Promise<void> {
  let along: CompiledQuery[] = [];
  for (const { writer, items } of all) {
    if ('compile' in writer) along.push(writer.compile(tx, items));
    else {
      const before = along;
      along = [];
      await writer.write(tx, items, before);
    }
  }
  if (along.length > 0) await executeTogether(tx, along);
}
