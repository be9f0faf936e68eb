/** What the wire calls the steps to a database, and what a refusal is of. */
import type { AppError } from '../../platform/std/app-error.ts';
import { DbRefused } from './try-db.ts';

export const STEP_TYPES = {
  reach: 'CONNECTIVITY',
  tcp: 'CONNECTIVITY',
  tls: 'CONNECTIVITY',
  protocol: 'CONNECTIVITY',
  login: 'DATABASE_DB_USER',
  database: 'DATABASE_DB_NAME',
  rights: 'DATABASE_DB_NAME',
} as const;

const REFUSED_AS = { user: 'DATABASE_DB_USER', database: 'DATABASE_DB_NAME' } as const;

/** By the server's own code, wherever it said it: some refuse before TLS is spoken. */
export function failedAs(error: AppError, usual: (typeof STEP_TYPES)[keyof typeof STEP_TYPES]) {
  if (!(error instanceof DbRefused)) return usual;
  if (error.what !== 'unknown') return REFUSED_AS[error.what];
  return usual === 'CONNECTIVITY' ? usual : 'UNKNOWN_ERROR';
}
