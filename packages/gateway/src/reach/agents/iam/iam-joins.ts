/** Lets AWS say who a machine is, once for each challenge, and holds that against the rules of the token it joins with. */
import { createHash } from 'node:crypto';
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import type { IamProofFields } from '@gatehouse/tunnel/aws/iam-proof';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { BoundedFetch } from '../../direct/bounded-fetch.ts';
import type { StoredJoinToken } from '../join-tokens/join-token-store.ts';
import { type AwsCaller, askSts } from './ask-sts.ts';
import { wrongWithProof } from './check-proof.ts';
import { isAllowed } from './match-arn.ts';

/** Whoever knows the name of a token can have a request sent: not without end. */
const MAX_AT_ONCE = 32;
const SWEEP_EVERY_MS = 60_000;
/** Challenges are taken for two minutes, by a clock that is behind a little longer. */
const REMEMBER_MS = 10 * 60_000;

export interface IamJoins {
  /** Throws `denied` with why not. The challenge must be known to be ours, and signed by the machine's key. */
  prove(token: Pick<StoredJoinToken, 'allow'>, fields: IamProofFields, proof: IamProof): Promise<AwsCaller>;
}

export interface IamJoinDeps {
  db: Db;
  fetch: BoundedFetch;
  /** Another way to STS than its own host. */
  endpoint: string | undefined;
  now: () => number;
}

export function createIamJoins({ db, fetch, endpoint, now }: IamJoinDeps): IamJoins {
  let underway = 0;
  let swept = 0;

  /** Written before anybody is asked: of two that come at once, one is too late, also at another gateway. */
  async function spend(nonce: string): Promise<boolean> {
    if (now() - swept > SWEEP_EVERY_MS) {
      swept = now();
      await db.deleteFrom('join_challenge_use').where('expires', '<', now()).execute();
    }
    const digest = createHash('sha256').update(nonce).digest('base64url');
    const row = await db
      .insertInto('join_challenge_use')
      .values({ digest, expires: now() + REMEMBER_MS })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .returning('digest')
      .executeTakeFirst();
    return row !== undefined;
  }

  return {
    async prove({ allow }, fields, proof) {
      const wrong = wrongWithProof(proof, now());
      if (wrong !== undefined) throw new AppError('denied', wrong);
      if (underway >= MAX_AT_ONCE)
        throw new AppError('too_many', 'too many machines join by AWS at this moment: try again in a minute');
      underway += 1;
      try {
        if (!(await spend(fields.nonce)))
          throw new AppError('denied', 'this challenge was used before: ask for another');
        const caller = await askSts(fetch, fields, proof, endpoint);
        if (isAllowed(allow, caller)) return caller;
        throw new AppError('denied', `the join token is not for ${caller.arn} of the account ${caller.account}`);
      } finally {
        underway -= 1;
      }
    },
  };
}
