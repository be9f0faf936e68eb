/** Every way a call can fail: codes, their HTTP statuses, and the body that carries them. */
import { z } from 'zod';

/**
 * A client switches on the code, never on the text. `not_signed_in` travels as 403 because the status poll of the
 * specification signs out on 403 and there is no 401 on this wire.
 */
export const ERROR_STATUS = {
  bad_request: 400,
  not_signed_in: 403,
  csrf_failed: 403,
  mfa_required: 403,
  denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  compare_failed: 412,
  too_large: 413,
  unsupported_media_type: 400,
  too_many: 429,
  internal: 500,
  not_available: 501,
  unavailable: 503,
  target_unreachable: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** `error.message` is where clients of the wire reference look first; `code` and `requestId` are ours. */
export const errorBody = z.object({
  error: z.object({ message: z.string(), code: z.string(), requestId: z.string() }),
  message: z.string().optional(),
  messages: z.array(z.string()).optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
});

export type ErrorBody = z.output<typeof errorBody>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, code);
}
