/** Says to applications, signed, who is there: an ES256 JWT, and the keys to check it by. */
import { sign } from 'node:crypto';
import { trustedKeyLost } from '@gatehouse/contract/audit/gateway-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { readOrMakeSecret } from '../../platform/secrets/secret-store.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import {
  type IdentityKey,
  newIdentityKey,
  type PublicJwk,
  readIdentityKeys,
  rotateIdentityKey,
  SECRET_NAME,
} from './identity-keys.ts';

export interface IdentityTokens {
  sign(claims: Record<string, unknown>): string;
  /** Id of the key that signs now: what another one signed is better made anew. */
  kid(): string;
  /** For applications: everything that is needed now or soon. */
  keys(): PublicJwk[];
  list(): ListedKey[];
  /** In the transaction of whoever asked; every gateway hears of it. */
  rotate(tx: Tx, options: { atOnce: boolean }): Promise<void>;
  /** Reads the keys again; what is signed afterwards is by them. */
  refresh(): Promise<void>;
  close(): void;
}

export interface ListedKey {
  kid: string;
  state: 'coming' | 'signing' | 'leaving';
  /** When it changes to the next state. */
  until: number | undefined;
}

const TOPIC = 'app-identity-key';

export interface IdentityTokenDeps {
  db: Db;
  box: SecretBox;
  audit: Audit;
  feed: Pick<ChangeFeed, 'subscribe'>;
  log: Log;
  now: () => number;
}

export async function openIdentityTokens({
  db,
  box,
  audit,
  feed,
  log,
  now,
}: IdentityTokenDeps): Promise<IdentityTokens> {
  await db.transaction().execute(async (tx) => {
    let isLost = false;
    const onLost = () => {
      isLost = true;
    };
    await readOrMakeSecret(tx, box, { name: SECRET_NAME, make: newIdentityKey, now: now(), onLost });
    if (!isLost) return;
    log.error({}, 'the key that applications know people by is gone; a new one signs from now on');
    await audit.emit(tx, trustedKeyLost, { key: SECRET_NAME, trusted_by: 'applications' });
  });
  let held: IdentityKey[] = [];
  const refresh = async () => {
    held = await readIdentityKeys(db, box);
  };
  await refresh();
  const subscription = feed.subscribe([TOPIC], { change: refresh, gap: refresh });

  const needed = () => held.filter(({ leaves }) => leaves === undefined || leaves > now());
  const signing = (): IdentityKey => {
    const [newest, before] = held as [IdentityKey, IdentityKey?];
    return before && newest.from > now() ? before : newest;
  };
  return {
    sign(claims) {
      const { key, jwk } = signing();
      const text = `${encode({ alg: 'ES256', typ: 'JWT', kid: jwk.kid })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
    kid: () => signing().jwk.kid,
    keys: () => needed().map(({ jwk }) => jwk),
    list() {
      const current = signing();
      return needed().map((each): ListedKey => {
        const { jwk, from, leaves } = each;
        const [newest] = held;
        if (each === current)
          return { kid: jwk.kid, state: 'signing', until: each === newest ? undefined : newest?.from };
        return each === newest
          ? { kid: jwk.kid, state: 'coming', until: from }
          : { kid: jwk.kid, state: 'leaving', until: leaves };
      });
    },
    async rotate(tx, { atOnce }) {
      await rotateIdentityKey(tx, box, { now: now(), atOnce });
      await publish(tx, { topic: TOPIC, id: SECRET_NAME });
    },
    refresh,
    close: () => subscription.close(),
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
