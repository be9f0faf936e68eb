/** Something the console can do that has a place of its own, with what it takes. */

import type { Acl } from '@gatehouse/contract/access/acl';
import type { UserContext } from '@gatehouse/contract/console/clusters';
import type { PageName } from '@gatehouse/contract/console/pages';
import type { IconComponent } from '@gatehouse/design/icon';
import type { WordId } from '../../platform/i18n/words.ts';

export interface PaletteAction {
  id: string;
  word: WordId;
  /** Other words people look for it by. */
  also: WordId;
  icon: IconComponent;
  page: PageName;
  /** What follows the question mark. */
  texts?: Readonly<Record<string, string>>;
  may: (acl: Acl, who: Pick<UserContext, 'authType' | 'hasPassword'>) => boolean;
}
