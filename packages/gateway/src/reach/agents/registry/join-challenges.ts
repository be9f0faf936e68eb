/** Challenges for machines that join: any gateway of the cluster knows one that another gave, and none is kept. */
import { createHmac, randomBytes } from 'node:crypto';
import { sameText } from '../../../platform/crypto/tokens.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readOrMakeSecret } from '../../../platform/secrets/secret-store.ts';
import { Secret } from '../../../platform/std/secret.ts';
import type { Db } from '../../../platform/storage/tables.ts';

export const CHALLENGE_MS = 2 * 60_000;
const SECRET_NAME = 'join challenges';

export interface JoinChallenges {
  give(): Promise<string>;
  /** Whether a gateway of this cluster gave it a moment ago. */
  isOurs(nonce: string): Promise<boolean>;
}

interface ChallengeDeps {
  db: Db;
  secrets: SecretBox;
  now: () => number;
}

export function createJoinChallenges({ db, secrets, now }: ChallengeDeps): JoinChallenges {
  let key: Promise<Secret> | undefined;
  const read = () => {
    key ??= readOrMakeSecret(db, secrets, {
      name: SECRET_NAME,
      make: () => new Secret(randomBytes(32).toString('base64url')),
      now: now(),
    });
    // A store that was away is asked again.
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
  const seal = async (text: string) =>
    createHmac('sha256', (await read()).reveal())
      .update(text)
      .digest('base64url');

  return {
    async give() {
      const text = `${randomBytes(16).toString('base64url')}.${now().toString(36)}`;
      return `${text}.${await seal(text)}`;
    },
    async isOurs(nonce) {
      const [drawn = '', time = '', seen = '', ...more] = nonce.split('.');
      // One writing of each: a challenge with something behind it would be another one to whoever remembers those that were used.
      if (more.length > 0) return false;
      const age = now() - Number.parseInt(time, 36);
      if (!(age >= -CHALLENGE_MS && age <= CHALLENGE_MS)) return false;
      return sameText(seen, await seal(`${drawn}.${time}`));
    },
  };
}
