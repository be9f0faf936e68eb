/** Why a sign-in was refused, kindly: when to try again, and what still works. */
import { failureWords, refusalOf } from '../../platform/failures/failure-words.ts';
import { formatTimeOfDay } from '../../platform/i18n/formats.ts';
import type { Translate } from '../../platform/i18n/words.ts';

export function signInFailure(t: Translate, error: unknown): string {
  const { reason, until } = refusalOf(error)?.fields ?? {};
  const time = typeof until === 'string' ? formatTimeOfDay(Date.parse(until)) : undefined;
  if (reason === 'locked' && time) return t('login.failed-locked', { time });
  if (reason === 'slow_down' && time) return t('login.failed-slow-down', { time });
  return failureWords(t, error);
}

/** The password was right by now, so what was refused is the code. */
export function codeFailure(t: Translate, error: unknown): string {
  return isPlainRefusal(error) ? t('login.code-refused') : signInFailure(t, error);
}

export function keyFailure(t: Translate, error: unknown): string {
  return isPlainRefusal(error) ? t('login.key-refused') : signInFailure(t, error);
}

function isPlainRefusal(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal?.code === 'denied' && refusal.fields.reason === undefined;
}
