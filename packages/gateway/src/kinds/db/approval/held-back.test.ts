import { DB_PROTOCOLS } from '@gatehouse/contract/kinds/db/db-address';
import { expect, test } from 'vitest';
import type { Access } from '../../../access/bind-access.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { canBeAsked, whyNotHere } from './held-back.ts';

const heldBy = (options: object) => ({ of: () => ({ roles: [{ role: { options } }] }) as unknown as Access });
const ANN = { username: 'ann' } as Actor;

/** At the workbench, and elsewhere. */
function verdicts(options: object, actor = ANN) {
  const isIn = (protocol: (typeof DB_PROTOCOLS)[number], holdsBack: boolean) =>
    whyNotHere(heldBy(options), actor, { protocol, holdsBack }) === undefined;
  return Object.fromEntries(DB_PROTOCOLS.map((each) => [each, [isIn(each, true), isIn(each, false)]]));
}

test('who must ask comes in where what writes is held back for certain, and nowhere else', () => {
  expect(verdicts({ db_approval: true })).toEqual({
    postgres: [true, false],
    mysql: [true, false],
    redis: [true, false],
    mongodb: [true, false],
    sqlserver: [false, false],
  });
});

test('nobody else is kept out, nor who owns the machine', () => {
  const everywhere = Object.fromEntries(DB_PROTOCOLS.map((each) => [each, [true, true]]));

  expect(verdicts({ db_read_only: true })).toEqual(everywhere);
  expect(verdicts({ db_approval: false })).toEqual(everywhere);
  expect(verdicts({ db_approval: true }, { ...ANN, isOwner: true })).toEqual(everywhere);
});

test('asked for is what servers themselves hold back', () => {
  expect(DB_PROTOCOLS.filter(canBeAsked).toSorted()).toEqual(['mysql', 'postgres']);
});
