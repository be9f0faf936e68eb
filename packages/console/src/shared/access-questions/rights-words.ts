/** Rights in the console and the API as people read them: "list and read recordings". The names of groups on the wire are ours alone. */

import type { AclGroup } from '@gatehouse/contract/access/acl';
import type { Verb } from '@gatehouse/contract/wire/route';
import { intlLocale, type Translate } from '../../platform/i18n/words.ts';

export function rightsWords(t: Translate, rights: readonly { group: AclGroup; verb: Verb }[]): string {
  const groups = [...new Set(rights.map(({ group }) => group))];
  const and = new Intl.ListFormat(intlLocale(), { type: 'conjunction' });
  return groups
    .map((group) => {
      const verbs = rights.filter((right) => right.group === group).map(({ verb }) => t(`effects.verb-${verb}`));
      return t('effects.right', { verbs: and.format(verbs), things: t(`effects.things-${group}`) });
    })
    .join('; ');
}
