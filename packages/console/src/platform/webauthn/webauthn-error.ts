/** Why a key or passkey gave no answer, in words for the person who holds it. */
import type { Translate, WordId } from '../i18n/words.ts';

export type WebauthnFailure =
  | 'unsupported'
  | 'nothing-created'
  | 'nothing-obtained'
  /** Closed by the person, or nobody answered in time: browsers do not say which. */
  | 'cancelled'
  | 'registered-already'
  | 'wrong-address'
  /** What is asked would do something else than it was asked for. */
  | 'for-something-else'
  /** Ended by us, because something else was chosen. */
  | 'superseded';

const WORDS: Record<WebauthnFailure, WordId> = {
  unsupported: 'webauthn.unsupported',
  'nothing-created': 'webauthn.nothing-created',
  'nothing-obtained': 'webauthn.nothing-obtained',
  cancelled: 'webauthn.cancelled',
  'registered-already': 'webauthn.registered-already',
  'wrong-address': 'webauthn.wrong-address',
  'for-something-else': 'webauthn.for-something-else',
  superseded: 'webauthn.cancelled',
};

export class WebauthnError extends Error {
  readonly failure: WebauthnFailure;
  constructor(failure: WebauthnFailure, cause?: unknown) {
    super(failure, { cause });
    this.name = 'WebauthnError';
    this.failure = failure;
  }
}

export function webauthnWords(t: Translate, { failure }: WebauthnError): string {
  return t(WORDS[failure]);
}
