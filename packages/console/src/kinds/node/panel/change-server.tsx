/** Changes a server or takes it out of the list. One that an agent announces says itself what it is, and goes with its agent. */
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import Pencil from 'lucide-react/icons/pencil';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { RemoveResource } from '../../../shared/resource-panel/remove-resource.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import styles from './server-panel.module.css';

interface ChangeServerProps {
  node: Node;
  onEdit: () => void;
  onGone: () => void;
}

export function ChangeServer({ node, onEdit, onGone }: ChangeServerProps) {
  const t = useTranslate();
  const api = useApi();
  const { userAcl } = useUser();
  const server = node.hostname;
  if (node.gatehouse?.type === 'agent') {
    if (!userAcl.tokens.remove) return null;
    return (
      <section className={styles.remove}>
        <h3 className={shared.heading}>{t('server-panel.remove')}</h3>
        <p className={styles.lead}>{t('server-panel.remove-agent-text')}</p>
        <CopyField name={t('server-panel.remove')} value={`gatehouse agents rm ${server}`} />
      </section>
    );
  }
  if (!userAcl.nodes.remove && !userAcl.nodes.edit) return null;
  return (
    <section className={styles.remove}>
      <div className={styles.buttons}>
        {userAcl.nodes.edit && (
          <Button icon={Pencil} onClick={onEdit}>
            {t('server-panel.edit')}
          </Button>
        )}
        {userAcl.nodes.remove && (
          <RemoveResource
            words={{
              remove: t('server-panel.remove'),
              title: t('server-panel.remove-title', { server }),
              text: t('server-panel.remove-text', { server }),
              removed: t('server-panel.removed', { server }),
            }}
            remove={() => api(nodeRoutes.remove, { params: { clusterId: node.siteId, id: node.id } })}
            onGone={onGone}
          />
        )}
      </div>
    </section>
  );
}
