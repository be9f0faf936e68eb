/** Under which key a trait is kept: what a sign-in provider says never stands under one that user records have. */
import { INTERNAL_TRAITS } from '@gatehouse/contract/access/roles/vocabulary';
import { TRAITS } from '@gatehouse/contract/identity/users/traits';

const EXTERNAL = 'external.';

/** As templates call them, and as user records do. */
const OWN_NAMES: ReadonlySet<string> = new Set([...INTERNAL_TRAITS, ...TRAITS]);

/** Whether user records have a trait of this name, in either spelling. */
export function isOwnTrait(name: string): boolean {
  return OWN_NAMES.has(name);
}

/** The key of a trait as people write it in documents and conditions: `team` and `external.team` are one, `logins` and `external.logins` two. */
export function writtenKey(written: string): string {
  const isExternal = written.startsWith(EXTERNAL) && written.length > EXTERNAL.length;
  return isExternal ? externalKey(written.slice(EXTERNAL.length)) : written;
}

/** What `{{external.NAME}}` reads. No two names share a key: one that looks like a key of another gets one of its own. */
export function externalKey(name: string): string {
  return isOwnTrait(name) || name.startsWith(EXTERNAL) ? `${EXTERNAL}${name}` : name;
}
