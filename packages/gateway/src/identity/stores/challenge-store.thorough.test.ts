import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { keepChallenge } from './challenge-store.ts';

test('strangers who ask for ten thousand challenges take none from whoever has given a password', async () => {
  const { db, close } = await openMemoryStorage();
  onTestFinished(close);
  const ask = (challenge: string, who: { user?: string; tiedTo: string }) =>
    keepChallenge(
      db,
      { challenge, purpose: who.user ? 'login' : 'passwordless', user: undefined, signInId: undefined, ...who },
      0,
    );
  await ask('of ann', { user: 'ann', tiedTo: '192.0.2.1' });
  await ask('of bob', { tiedTo: '198.51.100.1' });
  await sql`
    insert into webauthn_challenge (challenge, purpose, expires, network)
    with recursive strangers (number) as (select 1 union all select number + 1 from strangers where number < 9998)
    select 'of a stranger ' || number, 'passwordless', 1000000000, '192.0.2.0/24' from strangers`.execute(db);

  await ask('of a stranger', { tiedTo: '192.0.2.1' });

  const left = await db.selectFrom('webauthn_challenge').select('challenge').execute();
  expect(left).toHaveLength(10_001 - 100);
  expect(left.map(({ challenge }) => challenge)).toEqual(expect.arrayContaining(['of ann', 'of bob', 'of a stranger']));
});
