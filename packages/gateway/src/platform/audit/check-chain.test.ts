import { expect, test } from 'vitest';
import { eventHash, FIRST_HASH, type HashedRow } from './chain.ts';
import { type Anchor, ChainCheck } from './check-chain.ts';

const LENGTH = 12;
type Row = HashedRow & { hash: string };

function makeChain(length: number): Row[] {
  const rows: Row[] = [];
  for (let index = 1; index <= length; index++) rows.push(follow(rows.at(-1), `user-${index}`, index));
  return rows;
}

function follow(before: Row | undefined, user: string, index: number): Row {
  const row: HashedRow = {
    uid: `uid-${index}`,
    time: 1_000 + index,
    event: 'user.login',
    code: 'T1000I',
    severity: 'info',
    user,
    sign_in: 's',
    session: '',
    resource_kind: 'user',
    resource_name: user,
    address: '192.0.2.1',
    cluster: 'c1',
    data: JSON.stringify({ n: index, user }),
    chain: 'g1',
    chain_index: index,
    prev_hash: before?.hash ?? FIRST_HASH,
  };
  return { ...row, hash: eventHash(row) };
}

const chain = makeChain(LENGTH);
const anchorAt = (index: number): Anchor => ({ index, hash: chain[index - 1]!.hash });

function check(rows: readonly Row[], anchors: readonly Anchor[] = [anchorAt(LENGTH)], start?: Anchor) {
  const checking = new ChainCheck({ chain: 'g1', start: start ?? { index: 0, hash: FIRST_HASH }, anchors });
  for (const row of rows) checking.add(row, eventHash(row));
  return checking.end();
}

const rehash = (row: Row): Row => ({ ...row, hash: eventHash(row) });
const positions = Array.from({ length: LENGTH }, (_, index) => index + 1);
const columns = Object.keys(chain[0]!) as (keyof Row)[];

test('an untouched chain has no problem, with any anchors', () => {
  expect(check(chain)).toBeUndefined();
  expect(check(chain, [])).toBeUndefined();
  expect(check(chain, positions.map(anchorAt))).toBeUndefined();
});

test.each(positions)('any change of event %i is found there', (position) => {
  for (const column of columns) {
    const changed = { ...chain[position - 1]! } as Record<string, unknown>;
    changed[column] =
      column === 'chain_index' || column === 'time' ? Number(changed[column]) + 100 : `${changed[column]}x`;
    const rows = chain.with(position - 1, changed as unknown as Row);

    expect([column, check(rows)?.index]).toEqual([column, position]);
  }
});

test.each(positions)('one changed bit in the fields of event %i is found there', (position) => {
  const row = chain[position - 1]!;

  for (let at = 0; at < row.data.length; at++) {
    const letter = String.fromCharCode(row.data.charCodeAt(at) ^ 1);
    const data = row.data.slice(0, at) + letter + row.data.slice(at + 1);
    expect(check(chain.with(position - 1, { ...row, data }))?.index).toBe(position);
  }
});

test.each(positions)('the removal of event %i is found there', (position) => {
  expect(check(chain.toSpliced(position - 1, 1))?.index).toBe(position);
});

test.each(positions)('a cut from event %i on is found there', (position) => {
  expect(check(chain.slice(0, position - 1))?.index).toBe(position);
});

test.each(positions.slice(0, -1))('events %i and the next in each other’s place are found', (position) => {
  const [first, second] = [chain[position - 1]!, chain[position]!];

  expect(check(chain.toSpliced(position - 1, 2, second, first))?.index).toBe(position);
  const renumbered = [
    { ...second, chain_index: position },
    { ...first, chain_index: position + 1 },
  ];
  expect(check(chain.toSpliced(position - 1, 2, ...renumbered))?.index).toBe(position);
});

test.each(positions)('an event put in before %i is found', (position) => {
  const extra = follow(chain[position - 2], 'mallory', position);

  // Put in at the very end, it is one of those since the anchor before: no neighbour tells which.
  expect(check(chain.toSpliced(position - 1, 0, extra))?.index).toBe(position === LENGTH ? 1 : position);
});

test.each(positions)('an event %i exchanged for another with a hash that fits it is found there', (position) => {
  const forged = rehash({ ...chain[position - 1]!, user: 'mallory' });
  const anchors = [anchorAt(LENGTH)];

  const problem = check(chain.with(position - 1, forged), anchors);

  // Forging the very last one leaves no neighbour to tell by: then it is one of those since the anchor before.
  expect(problem?.index).toBe(position === LENGTH ? 1 : position);
});

test.each(positions)('a chain written anew from event %i on does not reach the signed end', (position) => {
  const rows = chain.slice(0, position - 1);
  for (let index = position; index <= LENGTH; index++) rows.push(follow(rows.at(-1), 'mallory', index));

  const problem = check(rows, [anchorAt(4), anchorAt(8), anchorAt(LENGTH)]);

  const lastGoodAnchor = [0, 4, 8, LENGTH].findLast((anchor) => anchor < position)!;
  expect(problem?.index).toBe(lastGoodAnchor + 1);
});

test('a part is checked from what its first event follows', () => {
  const start = anchorAt(5);

  expect(check(chain.slice(5), [anchorAt(LENGTH)], start)).toBeUndefined();
  expect(check(chain.slice(6), [anchorAt(LENGTH)], start)?.index).toBe(6);
  expect(check(chain.slice(5), [anchorAt(LENGTH)], { index: 5, hash: FIRST_HASH })?.index).toBe(6);
});
