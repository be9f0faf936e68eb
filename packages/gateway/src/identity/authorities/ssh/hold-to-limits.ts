/** Holds a connection to what its certificate is good for: that server and login, from there, and once. */
import { AppError } from '../../../platform/std/app-error.ts';
import { isWithin } from './headless-limits.ts';
import type { PersonCertificates, ShownCertificate } from './person-certificates.ts';

export interface WantedSession {
  address: string;
  login: string;
  server: string;
}

/**
 * Call it once the key is proved, before anything is opened; `wanted` is undefined where no server is named yet. Whoever comes in by
 * one that is limited gets one session channel, and neither jumps nor forwards. Throws in words for who shows it.
 */
export async function holdToLimits(
  certificates: Pick<PersonCertificates, 'begin'>,
  { serial, limits }: Pick<ShownCertificate, 'serial' | 'limits'>,
  wanted: Omit<WantedSession, 'address'> | undefined,
  address: string,
): Promise<void> {
  if (!limits) return;
  if (!isWithin(limits, address)) throw refused('asked from another address');
  if (wanted?.login !== limits.login || wanted.server !== limits.server)
    throw refused(`is for ${limits.login}@${limits.server}`);
  if (!(await certificates.begin({ serial }))) throw refused('was used already');
}

function refused(why: string): AppError {
  return new AppError('not_signed_in', `the approval ${why}: run gatehouse --headless again`);
}
