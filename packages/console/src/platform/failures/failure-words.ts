/** What went wrong with a call or a key, as a sentence; and the facts of a refused call. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { isMissingCode, isNoAnswer, isUnreadable } from '../api/failures.ts';
import { asSentence } from '../i18n/formats.ts';
import type { Translate } from '../i18n/words.ts';
import { WebauthnError, webauthnWords } from '../webauthn/webauthn-error.ts';

export interface Refusal {
  message: string;
  code: string;
  fields: Readonly<Record<string, unknown>>;
  /** For looking it up. */
  requestId: string | undefined;
}

/** Asked by shape: the class of failed calls would bring the contract's schemas into every page. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('fields' in error)) return undefined;
  const { message, code, fields, requestId } = error as Error & Record<'code' | 'fields' | 'requestId', unknown>;
  if (typeof code !== 'string' || typeof fields !== 'object' || fields === null) return undefined;
  return {
    message,
    code,
    fields: fields as Record<string, unknown>,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

/** The field of a form that a refused call names. */
export function refusedField(error: unknown): string | undefined {
  const field = refusalOf(error)?.fields.field;
  return typeof field === 'string' ? field : undefined;
}

export function failureWords(t: Translate, error: unknown): string {
  if (error instanceof WebauthnError) return webauthnWords(t, error);
  const refusal = refusalOf(error);
  if (refusal) return asSentence(refusal.message);
  if (isNoAnswer(error)) return t('common.unreachable');
  if (isMissingCode(error)) return error.message;
  if (isUnreadable(error)) return t('common.unreadable-answer');
  return t('common.own-mistake', { message: errorMessage(error) });
}

/** True for what neither the gateway, the network nor a key said: a mistake of the console. */
export function isOwnMistake(error: unknown): boolean {
  const isTold = refusalOf(error) !== undefined || isNoAnswer(error) || isUnreadable(error) || isMissingCode(error);
  return !isTold && !(error instanceof WebauthnError);
}
