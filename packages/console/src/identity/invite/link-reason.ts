/** Why a link does not open, when that is what the gateway said. */
import { refusalOf } from '../../platform/failures/failure-words.ts';

const REASONS = ['unknown', 'used', 'expired'] as const;
export type LinkReason = (typeof REASONS)[number];

export function linkReason(failure: unknown): LinkReason | undefined {
  const reason = refusalOf(failure)?.fields.reason;
  return REASONS.find((each) => each === reason);
}
