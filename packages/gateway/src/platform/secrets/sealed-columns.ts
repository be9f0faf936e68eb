/** Every column that holds sealed values. One that is missing here would be left behind by a key rotation. */
import type { Tables } from '../storage/tables.ts';

export interface SealedColumn {
  table: keyof Tables;
  /** The column whose text identifies the row; the `id` of the sealed value's place. */
  id: string;
  column: string;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealed('meta', 'key', 'value'),
  sealed('secret', 'name', 'sealed'),
  sealed('signing_key', 'id', 'sealed'),
  sealed('user_token', 'hash', 'sealed_totp'),
  sealed('mfa_device', 'id', 'sealed_secret'),
  sealed('resource', 'id', 'sealed'),
  sealed('desktop_secret', 'id', 'sealed'),
  sealed('connector', 'name', 'sealed'),
  sealed('user_identity', 'sealed_id', 'sealed_tokens'),
  sealed('sso_attempt', 'state_hash', 'sealed'),
  sealed('sso_attempt', 'state_hash', 'sealed_answer'),
  sealed('sso_attempt', 'state_hash', 'sealed_result'),
];

function sealed<T extends keyof Tables>(table: T, id: keyof Tables[T] & string, column: keyof Tables[T] & string) {
  return { table, id, column };
}
