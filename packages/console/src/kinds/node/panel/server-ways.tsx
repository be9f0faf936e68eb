/** What else somebody may want of a server than a terminal: its files, and who can reach it. Each only for those who may. */

import { pagePath } from '@gatehouse/contract/console/pages';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import FolderOpen from 'lucide-react/icons/folder-open';
import ShieldQuestion from 'lucide-react/icons/shield-question-mark';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { NEW_TAB } from '../connect/connect-search-params.ts';
import type { LoginMemory } from '../connect/login-memory.ts';
import { usualLogin } from '../connect/logins.ts';
import styles from './server-panel.module.css';

export function ServerWays({ node, memory }: { node: Node; memory: LoginMemory }) {
  const t = useTranslate();
  const { userName, userAcl } = useUser();
  const { askWhy } = useShellActions();
  const login = usualLogin(node, memory, userName);
  if (login === undefined && !userAcl.users.list) return null;
  const server = node.hostname;
  return (
    <div className={styles.buttons}>
      {login !== undefined && (
        <ButtonLink
          {...NEW_TAB}
          icon={FolderOpen}
          href={pagePath('files', { clusterId: node.siteId, serverId: node.id, login })}
          title={t('server-panel.files-as', { server, login })}
        >
          {t('server-panel.files')}
        </ButtonLink>
      )}
      {userAcl.users.list && (
        <Button
          icon={ShieldQuestion}
          onClick={() => askWhy({ resource: { kind: 'node', id: node.id, name: server }, who: true })}
        >
          {t('server-panel.who')}
        </Button>
      )}
    </div>
  );
}
