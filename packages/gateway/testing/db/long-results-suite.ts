/** How a long result comes to a page of the workbench: run against each engine that numbers can be asked of. */
import { expect, test } from 'vitest';
import type { EditorPage, PageOptions } from './editor-page.ts';

interface LongResults {
  ready(options?: Partial<PageOptions>): Promise<EditorPage>;
  /** A hundred thousand rows of a number and a hundred letters. */
  long: string;
  /** Twenty-five rows. */
  short: string;
}

export function longResultsSuite({ ready, long, short }: LongResults): void {
  test('100,000 rows come in acknowledged pieces, and no further than the page takes them', async () => {
    const page = await ready({ isLazy: true });
    const id = page.send({ type: 'run', tab: 0, sql: long, maxRows: 100_000 });
    const taken = () => page.heard.flatMap((reply) => (reply.type === 'rows' && reply.id === id ? [reply] : []));
    await expect.poll(() => taken().length).toBeGreaterThan(5);
    // What was on its way when another tab is answered has come.
    for (let before = -1; taken().length !== before; await page.run('select 1', { tab: 1 })) before = taken().length;
    const ahead = taken().reduce((sum, reply) => sum + JSON.stringify(reply).length, 0);
    expect(ahead).toBeLessThan(2.5 * 1024 * 1024);
    const acking = setInterval(() => page.send({ type: 'ack', id, seq: taken().at(-1)?.seq ?? 0 }), 2);
    const done = await page.next('done', id);
    clearInterval(acking);

    expect(done.rows).toBe(100_000);
    expect(taken().reduce((sum, { rows }) => sum + rows.length, 0)).toBe(100_000);
  });

  test('a result stops where it was told to, and goes on when more is asked for', async () => {
    const page = await ready();
    const { id, rows, done } = await page.run(short, { maxRows: 10 });
    expect([rows.length, done.more]).toEqual([10, true]);
    for (const [count, more] of [
      [10, true],
      [5, false],
    ]) {
      const from = page.heard.length;
      page.send({ type: 'more', id, maxRows: 10 });
      expect(await page.next('done', id, from)).toMatchObject({ rows: count, more });
    }
  });
}
